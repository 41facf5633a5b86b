/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h
 * @brief Questions with their answers as text, to be asked again and compared.
 *
 * A snapshot (snapshot.h) holds a question; a trace holds many of them, each with the answer that
 * was given. Whoever reads it back makes an instance from each snapshot, asks again and compares
 * the two answer lines: same state, same answer, same reason. `sdpower replay` does that.
 *
 * @par The format, version 1
 * #SDPOWER_TRACE_HEADER, then any number of records as #sdpower_trace_write makes them: a snapshot
 * from its first line to `end`, and one line for the answer,
 * @verbatim
   answer KIND NAME=VALUE ...
   @endverbatim
 * KIND is the word behind `ask` in the snapshot: none, busiest, wake or place. The names are
 * `status`, what the call returned, and when that is 0 the fields of the answer:
 * - busiest: those of #sdpower_busiest but its domain (handles differ between instances), those of
 *   its stats, and `queue` and `queue_reason`, the answer of #sdpower_find_busiest_queue when
 *   there is a group;
 * - wake, place: `cpu` and `reason` of #sdpower_pick.
 *
 * Values are decimal, `-` is none or unknown. Later versions of the library may add names;
 * a comparison looks at those the older line has.
 */
#ifndef SDPOWER_TRACE_H
#define SDPOWER_TRACE_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The first line of a trace. */
#define SDPOWER_TRACE_HEADER "sdpower trace 1\n"

/** An answer of any kind. */
struct sdpower_answer {
	uint32_t struct_size;  /**< sizeof(struct sdpower_answer), set by the caller */
	uint32_t kind;         /**< one of #sdpower_question_kind: which of the following is meant */
	sdpower_status status; /**< what the call returned; the rest is meant only with OK */
	uint32_t reserved;     /**< 0 */
	struct sdpower_busiest busiest; /**< meant with BUSIEST */
	/** the cpu with WAKE and PLACE; with BUSIEST the cpu of the group, or NONE without a group */
	struct sdpower_pick pick;
};

/**
 * Asks a question of any kind: #sdpower_find_busiest_group and then #sdpower_find_busiest_queue,
 * #sdpower_select_cpu, or #sdpower_place.
 * @param s the instance
 * @param question what to ask
 * @param answer filled; struct_size set by the caller. A refused question is an answer, too: see
 *        its status
 * @return OK; EINVAL for NULL, an unknown struct_size or kind. answer is not touched on errors.
 * @par Context any. Wait-free, no writes. As the calls it makes.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_ask(const sdpower *s,
	const struct sdpower_question *question, struct sdpower_answer *answer);

/**
 * Writes the line of an answer.
 * @param answer the answer
 * @param[out] buffer where to put the line, with its line feed and a NUL; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole line without its NUL
 * @return OK; ENOSPC when the line was cut; EINVAL for NULL, an unknown struct_size or kind
 * @par Context any. O(1).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_answer_write(
	const struct sdpower_answer *answer, char *buffer, size_t size, size_t *length);

/**
 * Writes one record of a trace: instance and question as a snapshot, then the answer.
 * @param s the instance that answered
 * @param question what was asked
 * @param answer the answer
 * @param[out] buffer where to put the record, NUL-terminated; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole record without its NUL
 * @return as #sdpower_snapshot_write and #sdpower_answer_write; EINVAL also when question and
 *         answer are of different kinds
 * @par Context any; consistent only while nobody has published since the question was asked.
 *      O(cpus + nodes^2).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_trace_write(const sdpower *s,
	const struct sdpower_question *question, const struct sdpower_answer *answer, char *buffer,
	size_t size, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
