/* SPDX-License-Identifier: MIT */
/**
 * @file newidle.h
 * @brief Is it worth searching for work before sleeping?
 *
 * A cpu that runs out of work may search its levels for more, innermost first. A search costs
 * time, and when the cpu would have been woken soon anyway that time is wasted. The trackers
 * here keep, per cpu, how long it usually stays idle and, per level, what a search costs; they
 * say which level to search next and when to give up. The default mode is this library's own
 * tracker, dq (sdpower/dq.h). The others reproduce five stages of Linux exactly, flaws included
 * (docs/POLICY.md, part N): they are yardsticks.
 *
 * Everything is a step machine without callbacks. A *walk* is one attempt of a newly idle cpu:
 *
 *     sdpower_newidle_begin(&t, &ask, &walk);
 *     while (walk.step != SDPOWER_NEWIDLE_DONE) {
 *             struct sdpower_newidle_report report = { .struct_size = sizeof(report) };
 *
 *             do what walk.step says, on level walk.level, and note it in report.facts;
 *             report.now_ns = clock();
 *             sdpower_newidle_next(&t, &report, &walk);
 *     }
 *     walk.result: 0 = sleep, 1 = there is a task, -1 = a task of a higher class arrived
 *
 * A *pass* is the periodic visit to all levels, which also lets costs decay. The length of an
 * idle period is told by #sdpower_newidle_wake when it ends.
 *
 * The state is plain data that the host owns, without pointers inside: one
 * #sdpower_newidle_cpu and an array of #sdpower_newidle_level per cpu, and for the default mode
 * the tracker that sdpower_newidle::dq names. It belongs to one cpu: calls for the same cpu are
 * serialised by the host (context *owner*), different cpus are independent.
 *
 * One host serves all modes: it offers a dq tracker or not, does the steps it is given, and
 * changes sdpower_newidle_rules::mode, then calls #sdpower_newidle_init. In the default mode a
 * walk calls the dq tracker at the right moments; what walks do not know the host may tell it
 * directly, #sdpower_dq_ran above all.
 *
 * Units: costs and idle times are ns; *ticks* come from a counter that the host increments
 * sdpower_newidle_rules::hz times a second and that may wrap. Levels are numbered from 0, the
 * innermost. Nothing here reads a clock or draws a random number: both are arguments.
 */
#ifndef SDPOWER_NEWIDLE_H
#define SDPOWER_NEWIDLE_H

#include "dq.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** List of the modes: X(name, value, text). Values and texts never change their meaning. */
#define SDPOWER_NEWIDLE_MODE_LIST(X) \
	/* This library's own: by what a search is expected to win. Needs sdpower_newidle::dq. */ \
	X(DQ, 0, "dq") \
	/* Linux 5.15: gate on average idle, costs decay in the periodic pass only. */ \
	X(K515, 1, "k515") \
	/* Linux 5.16: costs decay after a second, work shared by all levels is charged. */ \
	X(K516, 2, "k516") \
	/* Linux 6.17: a search that pulls nothing raises the cost by half. */ \
	X(K617, 3, "k617") \
	/* Linux 6.19: searches are drawn by lot in proportion to their success. */ \
	X(K619, 4, "k619") \
	/* 2026: seldom used levels are searched without a draw. */ \
	X(K70, 5, "k70")

/** Which rules; meaning beside each entry of #SDPOWER_NEWIDLE_MODE_LIST. */
enum sdpower_newidle_mode {
#define SDPOWER_X(name, value, text) SDPOWER_NEWIDLE_##name = (value), /**< see list */
	SDPOWER_NEWIDLE_MODE_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_NEWIDLE_MODES, /**< one more than the largest mode */
	SDPOWER_NEWIDLE_DEFAULT = SDPOWER_NEWIDLE_DQ /**< what zero-initialised rules ask for */
};

/** Most ticks a second a host may name. */
#define SDPOWER_NEWIDLE_HZ_MAX 1000000u

/** What does not change from call to call; may be shared by all cpus. Owned by the caller. */
struct sdpower_newidle_rules {
	uint32_t struct_size;  /**< sizeof(struct sdpower_newidle_rules), set by the caller */
	uint32_t mode;         /**< one of #sdpower_newidle_mode */
	uint32_t hz;           /**< ticks per second, 1 .. #SDPOWER_NEWIDLE_HZ_MAX */
	uint32_t tick_bits;    /**< width of the tick counter: 32 or 64; higher bits are ignored */
	/** online cpus, 1 .. #SDPOWER_MAX_CPUS: no interval exceeds cpus / 10 s */
	uint32_t cpus;
	uint32_t reserved;     /**< 0 */
	uint64_t migration_cost_ns; /**< cost of moving a task, ns; Linux: 500000 */
};

/** What is remembered of one cpu. */
struct sdpower_newidle_cpu {
	uint32_t struct_size;  /**< sizeof(struct sdpower_newidle_cpu), set by the caller */
	uint32_t reserved;     /**< 0 */
	uint64_t avg_idle_ns;  /**< average length of an idle period, ns */
	uint64_t max_cost_ns;  /**< most expensive walk, ns; half the cap of avg_idle_ns */
	uint64_t idle_since_ns;/**< start of the present idle period, ns; 0 = none */
	uint64_t next_balance; /**< when the next pass is due, ticks */
};

/** What is remembered of one level of one cpu. */
struct sdpower_newidle_level {
	uint32_t flags;        /**< set of #sdpower_flag; BALANCE_NEWIDLE lets a walk search here */
	/** time between two passes, ms: sdpower_domain_info::balance_interval */
	uint32_t interval_ms;
	uint32_t busy_factor;  /**< a busy cpu's interval is this many times longer */
	uint32_t calls;        /**< k619, k70: searches of the window, lost draws included */
	uint32_t hits;         /**< k619, k70: successes of the window, weighted */
	uint32_t ratio;        /**< k619, k70: successes of 1024 searches in the last window */
	uint64_t cost_ns;      /**< most a search has cost, decayed, ns; not dq */
	/** k515: tick after which cost_ns decays; else tick of its last change; not dq */
	uint64_t stamp;
	uint64_t last_balance; /**< tick of the last pass that balanced this level */
	uint64_t window_ns;    /**< k70: start of the window, ns */
};

/** Rules and state of one cpu, as every call takes them. The caller owns all of it. */
struct sdpower_newidle {
	uint32_t struct_size;  /**< sizeof(struct sdpower_newidle), set by the caller */
	uint32_t level_count;  /**< entries of levels; 0 = the cpu has no level */
	/** bytes from one level to the next, at least its size, a multiple of 8 */
	uint32_t level_stride;
	uint32_t reserved;     /**< 0 */
	const struct sdpower_newidle_rules *rules; /**< not NULL */
	struct sdpower_newidle_cpu *cpu;           /**< not NULL */
	/** innermost first; NULL only if level_count is 0 */
	struct sdpower_newidle_level *levels;
	/** mode dq: its tracker, of as many levels; other modes leave it alone, it may be NULL */
	const struct sdpower_dq *dq;
};

/** What a host says, bit by bit; each call names the bits it takes, others are refused. */
enum sdpower_newidle_fact {
	SDPOWER_NEWIDLE_OVERLOADED = 1, /**< some cpu of the machine has more than one task */
	SDPOWER_NEWIDLE_ACTIVE = 2,     /**< this cpu takes part in balancing */
	SDPOWER_NEWIDLE_PENDING = 4,    /**< a task is on its way to this cpu */
	/** statistics of sleeping cpus' load are due for an update */
	SDPOWER_NEWIDLE_LOAD_DUE = 8,
	SDPOWER_NEWIDLE_QUEUED = 16,    /**< an ordinary task is queued here */
	SDPOWER_NEWIDLE_HIGHER = 32,    /**< a task of a higher class is queued here */
	SDPOWER_NEWIDLE_PULLED = 64,    /**< tasks were moved to this cpu */
	SDPOWER_NEWIDLE_STOP = 128,     /**< another cpu balances here, or somebody asked to stop */
	SDPOWER_NEWIDLE_BUSY = 256      /**< this cpu is not idle */
};

/** What the host has to do before its next call. */
enum sdpower_newidle_step {
	SDPOWER_NEWIDLE_DONE = 0,    /**< nothing; the walk or pass is over */
	SDPOWER_NEWIDLE_REFRESH = 1, /**< update the load of sleeping cpus; takes PENDING, QUEUED */
	SDPOWER_NEWIDLE_DRAW = 2,    /**< draw a random number for the level; takes no facts */
	SDPOWER_NEWIDLE_SEARCH = 3,  /**< search the level; takes PULLED, PENDING, QUEUED, STOP */
	SDPOWER_NEWIDLE_GLANCE = 4,  /**< do not search, as something runs already: report the clock only;
	                                  facts as of SEARCH are taken and ignored */
	/** look at the own queue under its lock; takes QUEUED, HIGHER */
	SDPOWER_NEWIDLE_LOOK = 5,
	SDPOWER_NEWIDLE_BALANCE = 6  /**< pass: balance the level; takes PULLED, STOP, BUSY */
};

/** How a walk ended. */
enum sdpower_newidle_end {
	/** a task was on its way at once: nothing was done or noted */
	SDPOWER_NEWIDLE_END_PENDING = 0,
	SDPOWER_NEWIDLE_END_INACTIVE = 1, /**< the cpu takes no part: only the idle period began */
	SDPOWER_NEWIDLE_END_DEFERRED = 2, /**< not worth a search */
	SDPOWER_NEWIDLE_END_WALKED = 3    /**< levels were looked at */
};

/** A newly idle cpu asks. */
struct sdpower_newidle_ask {
	uint32_t struct_size; /**< sizeof(struct sdpower_newidle_ask), set by the caller */
	uint32_t facts;       /**< of OVERLOADED, ACTIVE, PENDING, LOAD_DUE */
	uint64_t now_ns;      /**< time; also the start of the idle period */
	uint64_t tick;        /**< tick counter; stays the same for the whole walk */
};

/** What came of a step of a walk. */
struct sdpower_newidle_report {
	uint32_t struct_size; /**< sizeof(struct sdpower_newidle_report), set by the caller */
	uint32_t facts;       /**< set of #sdpower_newidle_fact, of those the step takes */
	uint32_t draw;        /**< DRAW: a uniform random number; its low 10 bits count */
	uint32_t reserved;    /**< 0 */
	uint64_t now_ns;      /**< time after the step */
};

/** One walk. Plain data; owns nothing; the host reads the first group only. */
struct sdpower_newidle_walk {
	uint32_t struct_size; /**< sizeof(struct sdpower_newidle_walk), set by the caller */
	uint32_t step;        /**< one of #sdpower_newidle_step: what to do now */
	uint32_t level;       /**< DRAW, SEARCH, GLANCE: which level */
	uint32_t end;         /**< DONE: one of #sdpower_newidle_end */
	/** DONE: 0 nothing to run, 1 an ordinary task, -1 one of a higher class */
	int32_t result;
	uint32_t update_load; /**< DONE: 1 = update the load of sleeping cpus on the way to idle */
	uint64_t spent_ns;    /**< cost of the searches so far, shared work included */
	uint32_t weight;      /**< private */
	uint32_t facts;       /**< private */
	uint64_t clock_ns;    /**< private */
	uint64_t tick;        /**< private */
	uint64_t next_balance;/**< private */
};

/** One periodic pass. Plain data; owns nothing; the host reads the first group only. */
struct sdpower_newidle_pass {
	uint32_t struct_size; /**< sizeof(struct sdpower_newidle_pass), set by the caller */
	uint32_t step;        /**< BALANCE or DONE */
	uint32_t level;       /**< BALANCE: which level */
	uint32_t busy;        /**< private */
	uint32_t stopped;     /**< private */
	uint32_t decayed;     /**< private */
	uint64_t sum_ns;      /**< private */
	uint64_t tick;        /**< private */
	uint64_t next_balance;/**< private */
};

/**
 * Sets the state of a cpu and its levels to that of a cpu never seen before: an average idle of
 * twice the migration cost, no known costs, half of all searches successful. Of a level only
 * flags, interval_ms and busy_factor stay as they are; the host sets them. Mode dq: includes
 * #sdpower_dq_init.
 * @param t rules and state
 * @param now_ns time
 * @param tick tick counter
 * @return OK; EINVAL for NULL, an unknown struct_size, stride or tick_bits or a reserved field
 *         not 0, and in mode dq for a missing tracker, one of another number of levels, or as
 *         #sdpower_dq_init; ERANGE for hz, cpus or a rule of dq out of range; ENOSYS for a mode
 *         this version does not have. Nothing is changed on errors.
 * @par Context owner. O(levels).
 */
SDPOWER_API sdpower_status sdpower_newidle_init(const struct sdpower_newidle *t, uint64_t now_ns,
	uint64_t tick);

/**
 * Begins a walk, and the idle period. The first step is REFRESH, or DONE when nothing is to be
 * searched. In mode dq the level of the first search is settled here: a REFRESH that nobody
 * would use is not asked for.
 * @param t rules and state
 * @param ask the situation
 * @param[in,out] walk filled; struct_size set by the caller
 * @return OK; otherwise as #sdpower_newidle_init, and EINVAL for facts that are not asked for
 * @par Context owner. O(1).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_newidle_begin(const struct sdpower_newidle *t,
	const struct sdpower_newidle_ask *ask, struct sdpower_newidle_walk *walk);

/**
 * Reports a step of a walk and learns the next one. A walk may be dropped at any step; what its
 * searches have cost is then remembered, the rest is not. The number of levels must not change
 * during a walk.
 * @param t rules and state
 * @param report what came of walk->step
 * @param[in,out] walk as the call before left it
 * @return OK; otherwise as #sdpower_newidle_init, and EINVAL for a walk that is over, or facts
 *         that the step does not take. Nothing is changed on errors.
 * @par Context owner. O(levels) in a whole walk.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_newidle_next(const struct sdpower_newidle *t,
	const struct sdpower_newidle_report *report, struct sdpower_newidle_walk *walk);

/**
 * Says that the cpu has work again: the idle period becomes a sample of the average. Modes up
 * to k619: call it at the wake-up of a task for an idle cpu. k70: call it whenever the cpu turns
 * from idling to a task. dq: call it when the cpu's *own* next task arrives, even if it runs
 * pulled work by then (includes #sdpower_dq_wake).
 * @param t rules and state
 * @param now_ns time
 * @return 1 when there was an idle period, 0 when not; errors as #sdpower_newidle_init
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_newidle_wake(const struct sdpower_newidle *t, uint64_t now_ns);

/**
 * Begins a periodic pass, usually when sdpower_newidle_cpu::next_balance has come.
 * @param t rules and state
 * @param facts BUSY, or 0 when the cpu is idle
 * @param tick tick counter; stays the same for the whole pass
 * @param[in,out] pass filled; struct_size set by the caller
 * @return OK; otherwise as #sdpower_newidle_init, and EINVAL for other facts
 * @par Context owner. O(levels) in a whole pass.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_newidle_pass_begin(
	const struct sdpower_newidle *t, uint32_t facts, uint64_t tick,
	struct sdpower_newidle_pass *pass);

/**
 * Reports that a level was balanced and learns the next one.
 * @param t rules and state
 * @param facts of PULLED, STOP, BUSY. BUSY tells what the cpu does now; it counts only together
 *        with PULLED
 * @param[in,out] pass as the call before left it
 * @return OK; otherwise as #sdpower_newidle_init, and EINVAL for a pass that is over or other
 *         facts. Nothing is changed on errors.
 * @par Context owner. O(levels) in a whole pass.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_newidle_pass_next(
	const struct sdpower_newidle *t, uint32_t facts, struct sdpower_newidle_pass *pass);

/**
 * Name of a mode, as recorded answers use it.
 * @param mode one of #sdpower_newidle_mode
 * @return constant string, never NULL; "?" for an unknown mode
 * @par Context any. O(1).
 */
SDPOWER_API const char *sdpower_newidle_mode_name(uint32_t mode);

#ifdef __cplusplus
}
#endif
#endif
