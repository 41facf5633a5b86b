/* SPDX-License-Identifier: MIT */
/**
 * @file state.h
 * @brief What the host publishes: loads, idleness, claims, and what other programs take.
 *
 * Every cpu has one slot. Its writers are serialised by the host: the worker of that cpu,
 * or whoever holds its run-queue lock (context *owner*). Everybody reads. Publishing is a
 * few plain stores: no lock, no read-modify-write, no system call; it wakes nobody.
 *
 * The lost wake-up duty. An answer may be "nobody", and a sleeper may be on its way to sleep
 * while somebody looks for one. No wake-up is lost if both sides keep this order:
 * - who submits: make the work visible, full fence, ask (sdpower/wakeup.h), claim, signal;
 * - who goes idle: #sdpower_idle_enter, full fence, look for work once more, only then sleep.
 *
 * Searchers. A cpu that has run out of work may look for some instead of sleeping at once
 * (#sdpower_search_begin). While it does, questions under the native rules answer "nobody" with the
 * reason SEARCHER if that cpu may take the work: it is awake and finds it without being woken. The
 * order above covers work that comes while it gives up: its last step is #sdpower_idle_enter, full
 * fence, one more look. What it owes besides: when it has found work it calls #sdpower_search_end,
 * full fence, and, if more work waits than it takes, asks for a cpu to wake as who submits does;
 * others may have been told that it was coming. This holds also for a cpu that was told EBUSY: it
 * has looked like a searcher for a moment.
 *
 * Ticks: call #sdpower_tick every 1 to 10 ms per cpu. The five decayed loads halve their distance
 * to the load in about 0, 1, 2, 5 and 11 ticks, so the period is what "recently" means.
 *
 * Loads are hints: a late or a wrong one makes an answer poorer, never an answer outside
 * what was asked for. "Idle" means that the cpu runs nothing; it is told by
 * #sdpower_idle_enter and #sdpower_idle_exit and is independent of the number of runnable
 * tasks, as a task may wait on a cpu that has not woken yet.
 *
 * Beside the slots the library keeps sums per block of cpus. A publish marks its block as
 * changed; #sdpower_tick, #sdpower_idle_enter and #sdpower_refresh let the first cpu of a
 * block sum it again. Answers are the same with and without those sums; only their cost
 * differs. A host without ticks may call #sdpower_refresh whenever it likes.
 */
#ifndef SDPOWER_STATE_H
#define SDPOWER_STATE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** Number of decayed loads kept per cpu. */
#define SDPOWER_LOAD_INDICES 5u

/** What a cpu is doing, as far as the library was told. */
enum sdpower_cpu_activity {
	SDPOWER_CPU_RUNNING = 0,   /**< between idle_exit and idle_enter */
	SDPOWER_CPU_SLEEPING = 1,  /**< idle: a wake-up may choose it */
	SDPOWER_CPU_IS_CLAIMED = 2,/**< idle, and somebody has decided to wake it */
	SDPOWER_CPU_IS_SEARCHING = 3 /**< awake without work and looking for some */
};

/** Everything the library was told about one cpu: for snapshots, simulators and replay. */
struct sdpower_cpu_state {
	uint32_t struct_size;   /**< sizeof(struct sdpower_cpu_state), set by the caller */
	uint32_t nr;            /**< runnable tasks, 0 .. #SDPOWER_NR_MAX */
	uint32_t load;          /**< weighted load, 0 .. #SDPOWER_LOAD_MAX */
	uint32_t activity;      /**< one of #sdpower_cpu_activity */
	/** decayed loads, fastest first, 0 .. #SDPOWER_LOAD_MAX */
	uint32_t cpu_load[SDPOWER_LOAD_INDICES];
	/** average length of an idle period, ns; twice the migration cost at first, never more */
	uint32_t avg_idle_ns;
	uint64_t idle_since_ns; /**< start of the idle period; 0 and meaningless while running */
	uint32_t clamped;       /**< times that ran backwards or did not fit, since init */
	uint32_t outside_util;  /**< 0 .. 1024 taken by other programs */
	uint32_t outside_capacity; /**< 0 .. 1024 left for this host */
	/** shares of time of its runnable tasks together, 1024 = one whole cpu, 0 .. #SDPOWER_LOAD_MAX */
	uint32_t util;
	uint32_t has_util;      /**< 1 = util counts; 0 = every runnable task counts as a whole cpu */
	uint32_t reserved;      /**< 0 */
};

/**
 * Publishes how much a cpu has to run. Ends a claim on it.
 * @param s the instance
 * @param cpu cpu number
 * @param nr runnable tasks, the running one included; larger values saturate at #SDPOWER_NR_MAX
 * @param load sum of their weights, 1024 per ordinary task; saturates at #SDPOWER_LOAD_MAX
 * @return OK; ENOENT for a cpu that does not exist; EINVAL for a NULL instance
 * @par Context owner. O(1), three or four stores.
 */
SDPOWER_API sdpower_status sdpower_set_load(struct sdpower *s, sdpower_cpu cpu, uint32_t nr,
	uint32_t load);

/**
 * Publishes how much of a cpu's time its runnable tasks use. The native rules fill and empty
 * cpus by it; without it every runnable task counts as one whole cpu.
 * @param s the instance
 * @param cpu cpu number
 * @param util sum of the tasks' shares of time, each scaled to the largest cpu of the machine:
 *        1024 = the whole of such a cpu; saturates at #SDPOWER_LOAD_MAX. UINT32_MAX = not known
 *        any more
 * @return OK; EBUSY when the instance keeps the signal itself (#SDPOWER_CONFIG_UTIL); ENOENT;
 *         EINVAL
 * @par Context owner. O(1), three stores.
 */
SDPOWER_API sdpower_status sdpower_set_util(struct sdpower *s, sdpower_cpu cpu, uint32_t util);

/**
 * Says that a cpu goes idle. Repeating it while idle keeps the start of the idle period but
 * ends a claim. Sums the block again when this cpu is the one to do it.
 * @param s the instance
 * @param cpu cpu number
 * @param now_ns time
 * @return OK; ENOENT; EINVAL
 * @par Context owner. O(1), or O(block) for the first cpu of a block.
 */
SDPOWER_API sdpower_status sdpower_idle_enter(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns);

/**
 * Says that a cpu runs again, and adds the idle period to its average: an eighth of the
 * difference, toward zero, at most twice the migration cost. A time before the start of the
 * period counts as no time and is counted in sdpower_cpu_state::clamped.
 * @param s the instance
 * @param cpu cpu number; not idle = nothing happens
 * @param now_ns time
 * @return OK; ENOENT; EINVAL
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_idle_exit(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns);

/**
 * Says that a cpu has no work left and looks for some, awake. At most so many do at a time that
 * twice their number is one more than that of the cpus with runnable tasks or in search of them.
 * Repeating it asks whether to go on.
 * @param s the instance
 * @param cpu cpu number, not idle
 * @return OK: look for work, then #sdpower_search_end or #sdpower_idle_enter; EBUSY: enough others
 *         look, go idle (it runs, as after idle_exit); ENOENT; EINVAL for an idle cpu and a NULL
 *         instance
 * @par Context owner. O(cpus), and a full fence.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_search_begin(struct sdpower *s,
	sdpower_cpu cpu);

/**
 * Says that a cpu looks for work no longer and runs. Not searching = nothing happens.
 * @param s the instance
 * @param cpu cpu number
 * @return OK; ENOENT; EINVAL
 * @par Context owner. O(1), O(cpus) for the searcher whom the instance names.
 */
SDPOWER_API sdpower_status sdpower_search_end(struct sdpower *s, sdpower_cpu cpu);

/**
 * One tick of a cpu: its decayed loads take one step toward the published load, and the
 * block is summed again when this cpu is the one to do it.
 * @param s the instance
 * @param cpu cpu number
 * @param now_ns time; only ages the start of an idle period
 * @return OK; ENOENT; EINVAL
 * @par Context owner. O(1), or O(block) for the first cpu of a block.
 */
SDPOWER_API sdpower_status sdpower_tick(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns);

/**
 * Sums the block of a cpu again if that is this cpu's duty and the sums are out of date.
 * @param s the instance
 * @param cpu cpu number
 * @return 1 when the sums were renewed, 0 when that was not needed or is another cpu's duty;
 *         ENOENT; EINVAL
 * @par Context owner: two threads must not refresh with the same cpu at once. O(block).
 */
SDPOWER_API sdpower_status sdpower_refresh(struct sdpower *s, sdpower_cpu cpu);

/**
 * Takes an idle cpu for oneself before waking it, so that nobody else chooses it while it
 * still looks idle. Ends at the cpu's next publish, or at #sdpower_unclaim.
 * @param s the instance
 * @param cpu cpu number, usually an answer of this library
 * @return OK; EBUSY if it is not idle or somebody else was faster; ENOENT; EINVAL
 * @par Context any. O(1), one compare-and-swap; a plain store on machines without.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_claim(struct sdpower *s, sdpower_cpu cpu);

/**
 * Gives a claim back without waking the cpu.
 * @param s the instance
 * @param cpu cpu number
 * @return OK; EBUSY if it is not claimed (its owner published in between); ENOENT; EINVAL
 * @par Context whoever holds the claim. O(1).
 */
SDPOWER_API sdpower_status sdpower_unclaim(struct sdpower *s, sdpower_cpu cpu);

/**
 * Says what other programs, quotas or a hypervisor take from a cpu.
 * @param s the instance
 * @param cpu cpu number
 * @param util 0 .. 1024 used by others
 * @param capacity 0 .. 1024 left for this host
 * @return OK; ERANGE for values above 1024; ENOENT; EINVAL. The classic rules ignore both.
 * @par Context control. O(1).
 */
SDPOWER_API sdpower_status sdpower_set_outside(struct sdpower *s, sdpower_cpu cpu, uint32_t util,
	uint32_t capacity);

/**
 * Reads everything the library was told about a cpu.
 * @param s the instance
 * @param cpu cpu number
 * @param state filled; struct_size set by the caller
 * @return OK; ENOENT; EINVAL for NULL or an unknown struct_size
 * @par Context any; consistent only while the owner does not publish. O(1).
 */
SDPOWER_API sdpower_status sdpower_get_cpu(const struct sdpower *s, sdpower_cpu cpu,
	struct sdpower_cpu_state *state);

/**
 * Writes everything at once: any combination is taken, also those the other calls never
 * make (idle with tasks, decayed loads of a past that did not happen).
 * @param s the instance
 * @param cpu cpu number
 * @param state what to store
 * @return OK; ERANGE for a field beyond its range; ENOENT; EINVAL for NULL, an unknown
 *         struct_size or reserved not 0. Nothing is stored on errors.
 * @par Context owner and control at once. O(1).
 */
SDPOWER_API sdpower_status sdpower_set_cpu(struct sdpower *s, sdpower_cpu cpu,
	const struct sdpower_cpu_state *state);

#ifdef __cplusplus
}
#endif
#endif
