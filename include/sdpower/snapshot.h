/* SPDX-License-Identifier: MIT */
/**
 * @file snapshot.h
 * @brief A machine, its rules, its state and a question as text, to be answered again elsewhere.
 *
 * Writing: #sdpower_snapshot_write puts everything an answer depends on into a text of short
 * lines. Reading takes two steps, as an instance needs memory: #sdpower_snapshot_read turns
 * the text into a configuration (and the question), the host makes an instance from it, and
 * #sdpower_snapshot_restore fills in the state. Asking the question again gives the answer of
 * the instance that was saved, reason for reason.
 *
 * The first line names the version of the format; texts of version 1 stay readable. Reading is
 * strict: anything that is not exactly what writing makes is refused with its line.
 *
 * @par The format
 * Lines of decimal numbers behind a word, one blank between two of them; `-` stands for "none"
 * or "unknown". The lines come in this order:
 * @verbatim
   sdpower snapshot 1
   rules TREE TUNING DECISIONS WAKE_FLAGS RELAX MAX_PARTITIONS MIGRATION_COST
   tunables FILL SPREAD FIT DWELL LATENCY_BOUND SMT
   energy -
   energy IDLE ACTIVE WAKE IDLE ACTIVE WAKE ...
   machine ARCH OVERLAPPING CPUS NODES PARTITIONS
   node ID DISTANCE...
   cpu OS_ID NODE DRAWER BOOK PACKAGE LLC CLUSTER L2 CORE CAPACITY PRIORITY BITS PARTITION
   knobs MC SMT NOMINEE SEARCHER
   costs COUNT HOT COST ...
   slot NR LOAD ACTIVITY LOAD0 LOAD1 LOAD2 LOAD3 LOAD4 AVG_IDLE IDLE_SINCE CLAMPED UTIL CAPACITY SHARE
   ask none
   ask busiest CPU DEPTH IDLE FLAGS SD_IDLE MASK POWERS POWER...
   ask wake WAKER PREV FLAGS WEIGHT WAKER_WEIGHT WAKER_OVERLAP TASK_OVERLAP UTIL SINCE_RAN MASK
   ask place CPU DEPTH FLAG UTIL MASK
   end
   @endverbatim
 * - rules: fields of #sdpower_config; RELAX is relax_level + 1, or 0 without
 *   #SDPOWER_CONFIG_RELAX; MIGRATION_COST in ns.
 * - tunables: fields of #sdpower_tunables. energy: `-` without a table, else all rows of
 *   #sdpower_energy.
 * - machine: ARCH and OVERLAPPING as in #sdpower_topology, then how many cpus, nodes and
 *   partitions there are.
 * - node: NODES lines, each with the node's id and its distances to all nodes.
 * - cpu: CPUS lines by cpu number. NODE is the number of the node's line, from 0 on. DRAWER to
 *   CORE are numbered anew, alike for cpus that share the part. BITS: 1 online + 2 allowed.
 *   PARTITION counts from 0; `-` in none.
 * - knobs: #sdpower_set_knobs, the preferred wake-up cpu as it was
 *   stored, and the searcher that is named.
 * - costs: the times of a calibration in use (#sdpower_calibration_use), COUNT pairs.
 * - slot: CPUS lines, fields of #sdpower_cpu_state in their order.
 * - ask: one of the four, fields of #sdpower_busiest_request, #sdpower_wake or
 *   #sdpower_placement. MASK is `-` for all cpus, or a count of words and that many words.
 *   POWERS is the number of group powers that follow.
 */
#ifndef SDPOWER_SNAPSHOT_H
#define SDPOWER_SNAPSHOT_H

#include "balance.h"
#include "instance.h"
#include "tunables.h"
#include "wakeup.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which question a snapshot holds. */
enum sdpower_question_kind {
	SDPOWER_QUESTION_NONE = 0,    /**< only machine and state */
	SDPOWER_QUESTION_BUSIEST = 1, /**< #sdpower_find_busiest_group */
	SDPOWER_QUESTION_WAKE = 2,    /**< #sdpower_select_cpu or #sdpower_wake_idle */
	SDPOWER_QUESTION_PLACE = 3    /**< #sdpower_place and its parts */
};

/** A question of any kind. */
struct sdpower_question {
	uint32_t struct_size; /**< sizeof(struct sdpower_question), set by the caller */
	uint32_t kind;        /**< one of #sdpower_question_kind: which of the following is meant */
	struct sdpower_busiest_request busiest; /**< meant with BUSIEST */
	struct sdpower_wake wake;               /**< meant with WAKE */
	struct sdpower_placement place;         /**< meant with PLACE */
};

/** A snapshot that was read; its pointers lead into the memory given to read, and to the text. */
struct sdpower_snapshot {
	uint32_t struct_size;             /**< sizeof(struct sdpower_snapshot), set by the caller */
	uint32_t partition_count;         /**< partitions, or #SDPOWER_ID_NONE = one of all cpus */
	struct sdpower_topology topology; /**< the machine; offline and allowed as they were */
	/** for #sdpower_memory_needed and #sdpower_init; points at the three structs beside it */
	struct sdpower_config config;
	struct sdpower_tunables tunables; /**< all of them, defaults filled in */
	struct sdpower_energy energy;     /**< the power table; meant if config.energy is not NULL */
	struct sdpower_question question; /**< the question */
	const uint32_t *partitions;       /**< partition_count masks of words words */
	uint32_t words;                   /**< words of one partition mask */
	uint32_t slots_line;              /**< private */
	const char *slots;                /**< private */
	size_t slots_length;              /**< private */
	size_t memory_needed;             /**< bytes the tables take, also with ENOSPC */
};

/**
 * Saves an instance and, if there is one, a question.
 * @param s the instance
 * @param question what was or will be asked, or NULL
 * @param[out] buffer where to put the text, NUL-terminated; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; ESTALE when the tree was replaced meanwhile, twice;
 *         EINVAL for NULL, an unknown struct_size, kind, or a question's missing pointer
 * @par Context any; consistent only while nobody publishes. O(cpus + nodes^2).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_snapshot_write(const sdpower *s,
	const struct sdpower_question *question, char *buffer, size_t size, size_t *length);

/**
 * Reads a text into a configuration and a question.
 * @param text the text; must stay until #sdpower_snapshot_restore; need not be terminated
 * @param length bytes of text
 * @param memory where to put the tables, aligned for uint64_t; may be NULL to ask the size
 * @param size bytes at memory
 * @param[out] snapshot filled; memory_needed is set also on ENOSPC
 * @param diag what was wrong, with line and column; or NULL
 * @return OK; ENOSPC when size is too small; EPARSE; ERANGE for a number beyond its range; EINVAL
 *         for NULL or an unknown struct_size
 * @par Context any thread. O(length).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_snapshot_read(const char *text, size_t length,
	void *memory, size_t size, struct sdpower_snapshot *snapshot, struct sdpower_diag *diag);

/**
 * Fills the state of a new instance made from sdpower_snapshot::config.
 * @param snapshot as read; its memory and its text must still be there
 * @param s the instance
 * @return OK; EINVAL for NULL or an instance of another size; otherwise as #sdpower_apply and
 *         #sdpower_set_cpu
 * @par Context control, before anybody else uses the instance. O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_snapshot_restore(
	const struct sdpower_snapshot *snapshot, sdpower *s);

#ifdef __cplusplus
}
#endif
#endif
