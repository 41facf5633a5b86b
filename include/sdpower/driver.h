/* SPDX-License-Identifier: MIT */
/**
 * @file driver.h
 * @brief The balance driver: when to balance which level, and what follows from the outcome.
 *
 * The decisions of balance.h say where load should come from. The driver asks them at the
 * right times, level by level, remembers failures, stretches and shrinks intervals, and
 * resorts to pushing a running task when pulling keeps failing. It is a step machine: the
 * host begins a walk and gets an *action*, does it under its own locks, reports the *outcome*
 * and gets the next action, until there is none. Nothing blocks, nothing is called back, and
 * no pointer to anything of the host is kept.
 *
 * The instance must be made with #SDPOWER_CONFIG_DRIVER. A host then calls #sdpower_balance_begin
 * - at each tick of a cpu (#SDPOWER_BALANCE_TICK; most of the time nothing is due), or, without
 *   ticks, when #sdpower_next_deadline says so;
 * - before a cpu without work sleeps (#SDPOWER_BALANCE_NEWIDLE);
 * - on a cpu that was kicked (#SDPOWER_BALANCE_PUSH);
 * - on one cpu, for each sleeping one that cannot tick itself (#SDPOWER_BALANCE_TICK with
 *   `helper`); #sdpower_find_ilb names that cpu.
 *
 * Loads must be published (#sdpower_set_load) for both cpus of a move before its outcome is
 * reported, as the next search looks at them.
 *
 * Who writes what: the records of a cpu are written by its owner only. A host whose cpus push
 * tasks to each other holds a cpu's run-queue lock during each of the two calls for its walk,
 * and, at #SDPOWER_BALANCE_PUSH_ONE, both cpus' locks; between calls it need not hold any. A push request lies in
 * the record of the cpu that wants the task. A sleeper's records are written after the host
 * said, at the action #SDPOWER_BALANCE_TAKE_OVER, that the sleeper will not use them itself
 * until the walk is over.
 *
 * Under the native rules running tasks are asked for without delay, and more often: a cpu that has
 * asked claims itself (#sdpower_claim) until it has been served. Who serves clears the request in
 * the record of the cpu that asked. The cpu that gets the task may be another one of its group.
 *
 * Rules: docs/POLICY.md, D12 to D19; native: P8 to P12.
 */
#ifndef SDPOWER_DRIVER_H
#define SDPOWER_DRIVER_H

#include "move.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** What a walk is for. */
enum sdpower_balance_kind {
	SDPOWER_BALANCE_TICK = 0,    /**< balance the levels that are due, if any is */
	SDPOWER_BALANCE_NEWIDLE = 1, /**< the cpu has run out of work */
	SDPOWER_BALANCE_PUSH = 2     /**< the cpu was kicked: serve the pushes asked of it */
};

/** What the host is to do next. */
enum sdpower_balance_action_kind {
	SDPOWER_BALANCE_DONE = 0,      /**< nothing; the walk is over */
	/**
	 * make sure that the sleeping `cpu` stays away from its records until the walk is over;
	 * outcome: done = 1, or 0 when it has woken
	 */
	SDPOWER_BALANCE_TAKE_OVER = 1,
	/**
	 * try to take the one lock of serialised levels; outcome: done = 1 when it was had, never
	 * wait for it
	 */
	SDPOWER_BALANCE_LOCK = 2,
	SDPOWER_BALANCE_UNLOCK = 3,    /**< give that lock back; no outcome */
	/** move tasks of `from` to `cpu` as `move` says (#sdpower_move_offer); outcome: move */
	SDPOWER_BALANCE_PULL = 4,
	/**
	 * may the task that runs on `from` run on `cpu`? outcome: done = 1 or 0; a cpu that runs
	 * nothing counts as 1
	 */
	SDPOWER_BALANCE_MAY_RUN = 5,
	/** have `from` begin a #SDPOWER_BALANCE_PUSH soon; no outcome */
	SDPOWER_BALANCE_KICK = 6,
	/**
	 * move one task of `from`, the running one included, to `cpu` as `move` says; needs the
	 * ownership of both; outcome: move
	 */
	SDPOWER_BALANCE_PUSH_ONE = 7
};

/** How a walk begins. */
struct sdpower_balance_request {
	uint32_t struct_size; /**< sizeof(struct sdpower_balance_request), set by the caller */
	uint32_t kind;        /**< one of #sdpower_balance_kind */
	sdpower_cpu cpu;      /**< whose levels */
	/** the cpu that walks for the sleeping `cpu`; NONE or cpu itself = nobody's help */
	sdpower_cpu helper;
	/** tick: #SDPOWER_CPU_IDLE or #SDPOWER_CPU_NOT_IDLE; ignored otherwise */
	uint32_t idle;
	uint32_t flags;       /**< must be 0 */
	uint64_t now_ns;      /**< time */
};

/** What to do. */
struct sdpower_balance_action {
	uint32_t struct_size; /**< sizeof(struct sdpower_balance_action), set by the caller */
	uint32_t kind;        /**< one of #sdpower_balance_action_kind */
	sdpower_cpu cpu;      /**< the cpu that gets tasks, or whose records are needed */
	sdpower_cpu from;     /**< the cpu that gives tasks, or NONE */
	uint32_t depth;       /**< level of cpu's chain, 0 = innermost */
	uint32_t swapped;     /**< with DONE: 1 = the tree was replaced, the walk ended early */
	struct sdpower_move move; /**< prepared for #sdpower_move_offer; cost_ns may be replaced */
};

/** What came of it. */
struct sdpower_balance_outcome {
	uint32_t struct_size; /**< sizeof(struct sdpower_balance_outcome), set by the caller */
	uint32_t done;        /**< see #sdpower_balance_action_kind */
	struct sdpower_move move; /**< the action's, after the offers */
};

/**
 * Asks how much memory a walk needs. A cpu has at most one walk at a time, so one block per
 * worker is enough.
 * @param s the instance
 * @return bytes, to be aligned for uint64_t; 0 for a NULL instance
 * @par Context any. O(1).
 */
SDPOWER_API size_t sdpower_balance_size(const struct sdpower *s);

/**
 * Begins a walk.
 * @param s the instance
 * @param memory the walk; contents need not be set. The caller owns it and may drop it when
 *        the walk is over
 * @param size bytes at memory
 * @param request what the walk is for
 * @param[out] action what to do first; struct_size set by the caller
 * @return OK; EINVAL for NULL, a wrong struct_size, kind, idle or flag, or misaligned memory;
 *         ENOSPC when size is too small; ENOENT for a cpu that does not exist; ENOSYS when the
 *         instance has no such rules or was made without #SDPOWER_CONFIG_DRIVER. action is not
 *         touched on errors.
 * @par Context owner of cpu, or of helper. O(1) when nothing is due, else one search (balance.h).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_balance_begin(struct sdpower *s,
	void *memory, size_t size, const struct sdpower_balance_request *request,
	struct sdpower_balance_action *action);

/**
 * Reports what came of an action and asks for the next one.
 * @param s the instance
 * @param memory the walk
 * @param outcome what came of it; NULL where the action has no outcome
 * @param[out] action what to do next; struct_size set by the caller
 * @return OK; EINVAL for NULL, a wrong struct_size, a missing outcome or memory without a walk
 *         that waits for one. Nothing happens on errors.
 * @par Context as #sdpower_balance_begin; after PUSH_ONE owner of both cpus. At most one search
 *      per level and dropped cpu; asking for a push reads one record per cpu.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_balance_next(struct sdpower *s,
	void *memory, const struct sdpower_balance_outcome *outcome,
	struct sdpower_balance_action *action);

/**
 * When the next #SDPOWER_BALANCE_TICK of a cpu will have something to do: a host without ticks
 * may sleep exactly that long. Every walk moves it.
 * @param s the instance
 * @param cpu cpu number
 * @param[out] deadline_ns time; 0 = at once, UINT64_MAX = never while the tree stays
 * @return OK; ENOENT; EINVAL for NULL; ENOSYS without #SDPOWER_CONFIG_DRIVER; ESTALE when the tree
 *         was replaced twice meanwhile
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_next_deadline(const struct sdpower *s, sdpower_cpu cpu,
	uint64_t *deadline_ns);

#ifdef __cplusplus
}
#endif
#endif
