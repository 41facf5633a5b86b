/* SPDX-License-Identifier: MIT */
/**
 * @file move.h
 * @brief Which tasks of a queue may move, when load is pulled or a running task is pushed.
 *
 * The library never sees a queue. The host offers the tasks of the queue one by one, head to
 * tail, and is told per task: take it, leave it, or stop offering. What it took and whether
 * every task was pinned stand in the record afterwards.
 *
 * The record is the host's and plain data; nothing here reads or writes an instance. Rules:
 * docs/POLICY.md, D16 and P12.
 */
#ifndef SDPOWER_MOVE_H
#define SDPOWER_MOVE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of sdpower_move_task::flags. */
enum sdpower_move_task_flag {
	SDPOWER_TASK_ALLOWED = 1, /**< its affinity holds the cpu it would move to */
	SDPOWER_TASK_RUNNING = 2, /**< it runs at this moment and cannot be moved */
	SDPOWER_TASK_BUDDY = 4,   /**< its queue wants to run it next: always cache hot */
	SDPOWER_TASK_UNFAIR = 8   /**< of another class than fair tasks: never cache hot */
};

/** A task on offer. */
struct sdpower_move_task {
	uint32_t weight;  /**< its load, 1024 for an ordinary task */
	uint32_t flags;   /**< set of #sdpower_move_task_flag; other bits are ignored */
	int64_t idle_ns;  /**< time since it last ran; negative counts as just now */
	uint32_t util;    /**< its share of time, 1024 = a whole cpu; 0 = not known (native rules) */
	uint32_t reserved;/**< 0 */
};

/** What to do with a task. */
enum sdpower_move_verdict {
	SDPOWER_MOVE_LEAVE = 0, /**< leave it, offer the next one */
	SDPOWER_MOVE_TAKE = 1,  /**< move it, offer the next one */
	SDPOWER_MOVE_LAST = 2,  /**< move it and stop */
	SDPOWER_MOVE_STOP = 3   /**< leave it and stop */
};

/**
 * One move under way: filled by the driver's action or by hand, updated by every offer. By hand, after
 * an answer of #sdpower_find_busiest_group: amount is its imbalance, most and util_most are its own.
 */
struct sdpower_move {
	uint32_t struct_size; /**< sizeof(struct sdpower_move), set by the caller */
	uint32_t one;         /**< 1 = take the first that may move, whatever its weight (a push) */
	uint64_t amount;      /**< weighted load wanted */
	uint64_t moved;       /**< out: weighted load taken so far; 0 at the start */
	uint32_t tasks;       /**< out: tasks taken so far; 0 at the start */
	uint32_t hot_tasks;   /**< out: cache-hot ones among them; 0 at the start */
	uint32_t examined;    /**< out: tasks offered so far; 0 at the start */
	/** out: 1 = no task offered so far could come for its affinity or weight; 1 at the start */
	uint32_t pinned;
	uint32_t move_hot;    /**< 1 = cache-hot tasks move too: enough failed before */
	/** a task that ran this recently is cache hot; 0 = none is, UINT32_MAX = all are */
	uint32_t cost_ns;
	uint32_t native;      /**< 1 = the native rules: `most`, `util_most`, never more than amount */
	uint32_t util_most;   /**< native: tasks with a larger share of time stay; UINT32_MAX = any */
	uint64_t most;        /**< native: largest weight of the first task, whatever the amount */
};

/** Tasks looked at in one move, at most: the time a queue stays locked is bounded. */
#define SDPOWER_MOVE_EXAMINED 33u

/**
 * Offers the next task of the queue.
 * @param move the move under way
 * @param task the task
 * @return one of #sdpower_move_verdict; EINVAL for NULL or a wrong struct_size
 * @par Context any; whoever owns the record. O(1).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_move_offer(struct sdpower_move *move,
	const struct sdpower_move_task *task);

#ifdef __cplusplus
}
#endif
#endif
