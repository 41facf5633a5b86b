/* SPDX-License-Identifier: MIT */
/**
 * @file explain.h
 * @brief One line for people: what was decided, by which numbers, and what came second.
 *
 * The lines are for logs and bug reports; their wording may change between versions. To keep
 * a decision for later, save a snapshot (snapshot.h) instead.
 */
#ifndef SDPOWER_EXPLAIN_H
#define SDPOWER_EXPLAIN_H

#include "balance.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Explains an answer of #sdpower_find_busiest_group.
 * @param s the instance that answered
 * @param request the question
 * @param answer the answer
 * @param[out] buffer where to put the line, NUL-terminated without a line feed; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole line without its NUL
 * @return OK; ENOSPC when the line was cut; EINVAL for NULL or an unknown struct_size; ENOENT for
 *         a cpu that does not exist
 * @par Context any. The runner-up is looked up now: "unknown" if the tree was replaced, and
 *      with loads of now. O(cpus of the level).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_explain_busiest(const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer,
	char *buffer, size_t size, size_t *length);

/**
 * Explains a pick of a wake-up, a placement, a queue or an idle balancer.
 * @param s the instance that answered
 * @param pick the answer
 * @param other the cpu it was preferred to (the previous cpu, the waker); NONE, or the pick
 *        itself, to name none
 * @param[out] buffer where to put the line, NUL-terminated without a line feed; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole line without its NUL
 * @return OK; ENOSPC when the line was cut; EINVAL for NULL; ENOENT for a cpu that does not exist
 * @par Context any. Numbers are those of now. O(1).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_explain_pick(const struct sdpower *s,
	const struct sdpower_pick *pick, sdpower_cpu other, char *buffer, size_t size,
	size_t *length);

#ifdef __cplusplus
}
#endif
#endif
