/* SPDX-License-Identifier: MIT */
/*
 * The instance: everything in the caller's block, placed once by init (instance.c).
 * Locking letters: tree/tree.h.
 */
#ifndef SDPOWER_I_INSTANCE_H
#define SDPOWER_I_INSTANCE_H

#include "../port.h"
#include "../tree/tree.h"
#include "pace.h"

#include <sdpower/tunables.h>
#include <sdpower/util.h>

/* States of sdpower_i_slot::status. */
enum sdpower_i_status {
	SDPOWER_I_RUNNING = 0,
	SDPOWER_I_IDLE = 1,
	SDPOWER_I_CLAIMED = 2, /* idle, and somebody has decided to wake it */
	SDPOWER_I_SEARCHING = 3 /* awake without work, looking for some; set and ended by the owner */
};

/* Load indices a record sums; higher ones are always scanned. */
#define SDPOWER_I_RECORD_INDICES 4u

/* One cpu, one cache line. Truth; everything else is derived from slots. */
struct sdpower_i_slot {
	uint32_t load;        /* (o) weighted load now, <= SDPOWER_LOAD_MAX */
	uint32_t nr;          /* (o) runnable tasks, <= SDPOWER_NR_MAX */
	uint32_t cpu_load[5]; /* (o) decayed loads, updated by the owner's tick */
	uint32_t status;      /* (a) enum sdpower_i_status: owner stores, claimers compare-and-swap */
	uint32_t avg_idle;    /* (o) ns, saturating */
	uint32_t idle_since;  /* (o) 1024 ns units, modulo 2^32, aged by the tick; valid while not running */
	uint32_t stamp_low, stamp_high; /* (o, private) exact start of the idle period, ns */
	uint32_t clamped;     /* (o) times that ran backwards, and idle periods beyond 2^32 ns */
	uint32_t util;        /* (o) shares of time of its tasks, 1024 = a whole cpu; counts if has_util */
	uint32_t has_util;    /* (o) 0 = every runnable task counts as a whole cpu */
	uint32_t reserved;
};

/*
 * Summary of a block of slots: one cache line, because a query that walks many clean
 * blocks pays per line. `serial` is both the dirty mark and the name of the tree whose
 * `active` set was summed: publishers store 0 after their slot, the elected cpu of the
 * block (its lowest active position) stores the tree's serial before it reads the slots.
 * seq is 0 while that cpu rewrites the sums, and another number afterwards. A query uses a
 * record only if serial is that of the tree it walks and seq is unchanged and not 0;
 * otherwise it reads the slots.
 */
struct sdpower_i_record {
	uint32_t serial;      /* (a) 0 = dirty */
	uint32_t seq;         /* (o: elected) */
	uint32_t nr;          /* (o: elected) sum of nr */
	uint32_t per_task;    /* (o: elected) sum of load / nr over cpus with nr > 0 */
	uint32_t first_idle;  /* (o: elected) lowest idle cpu, claimed or not, or SDPOWER_CPU_NONE */
	union {
		struct sdpower_i_source {
			uint32_t sum, max, min; /* 0, 0 and 2^32-1 without active cpus */
		} source[3];      /* (o: elected) load indices 0 (= load now, also as target) to 2 */
		struct sdpower_i_crowd {
			uint32_t load;     /* sum of loads now */
			uint32_t util;     /* sum of utilisations */
			uint32_t capacity; /* sum of what is left of the cpus */
			uint32_t counts;   /* cpus of each kind, a byte each: crowd.h */
			uint32_t giver;    /* bit of the cpu that gives first, if any must */
			uint32_t unused;   /* bits of the cpus without tasks */
			uint32_t cpus;     /* active ones */
			uint32_t cores;    /* cores whose first active thread is in the block */
			uint32_t room;     /* most share of time that a cpu in use can still take */
		} crowd;          /* (o: elected) of native instances */
	};
	uint32_t last_seq;    /* (o: elected) */
	uint32_t reserved;
};

/* The rest of a record, seldom asked for: same seq, an array of its own. */
struct sdpower_i_record_rest {
	struct sdpower_i_source source3; /* (o: elected) load index 3 */
	uint32_t target[3];   /* (o: elected) target sums of load indices 1 .. 3 */
	uint32_t reserved[10];
};

/* Load and capacity that other programs take from a cpu; written by the control side. */
struct sdpower_i_outside {
	uint32_t util;      /* (a) 0 .. 1024 */
	uint32_t capacity;  /* (a) 0 .. 1024 left for us */
};

/* What tells an instance from other memory, and this layout from later ones. */
#define SDPOWER_I_MAGIC 0x73647077u /* "sdpw" */
#define SDPOWER_I_LAYOUT 1u

struct sdpower_i_counters;

/* Distances told apart by measured times; farther ones have the one time of all. */
#define SDPOWER_I_DISTANCES 32u

/* Measured times by distance (costs.h), or none. */
struct sdpower_i_costs {
	uint64_t signature;                 /* control side: of the tree they belong to; 0 = none */
	uint32_t valid;                     /* (a) that is the tree of now */
	uint32_t hot[SDPOWER_I_DISTANCES];  /* (a) age from which a task is cold, ns + 1; 0 = unknown */
	uint32_t cost[SDPOWER_I_DISTANCES]; /* (a) what moving costs, ns + 1; 0 = unknown */
};


/* Tunables in force; words that the control side stores and all read. */
struct sdpower_i_tuning {
	uint32_t fill_percent, spread_percent, fit_percent; /* (a) */
	uint32_t dwell_us, latency_bound_us;                /* (a) */
	uint32_t smt_percent;                               /* (a) */
};


struct sdpower {
	uint32_t magic, layout;        /* (c) */
	uint32_t decision_rules;       /* (c) */
	uint32_t migration_cost_ns;    /* (c) cache-hot limit */
	struct sdpower_i_forest forest;/* numbering and trees */
	struct sdpower_i_slot *slots;  /* [position], each on a line of its own */
	struct sdpower_i_record *records; /* [block], each on a line of its own */
	struct sdpower_i_record_rest *rests; /* [block], each on a line of its own */
	struct sdpower_i_outside *outside; /* [position] */
	struct sdpower_i_balancer *balancers; /* [position] */
	struct sdpower_i_pace *paces;  /* [position][depth_max] */
	struct sdpower_i_counters *counters; /* [position][depth_max], or NULL: counters.h */
	struct sdpower_util *utils;    /* (o, private) [position], or NULL: the host feeds utilisation */
	struct sdpower_i_tuning tuning;/* of the native rules */
	struct sdpower_i_costs costs;  /* measured times, if a calibration is in use */
	struct sdpower_energy energy;  /* (c) of the native rules; struct_size 0 = not known */
	uint16_t *epochs;              /* (a) [position] counts changes of its chain; control side stores */
	uint32_t hz;                   /* (c) ticks per second of the balance driver */
	uint32_t interval_cpus;        /* (c) cpus by which the longest balancing wait is scaled */
	uint32_t searcher;             /* (a) cpu that looks for work, or did lately, or SDPOWER_CPU_NONE */
	uint32_t nominee;              /* (a) preferred wake-up cpu, or SDPOWER_CPU_NONE; classic: 0 at start */
	uint32_t outside_used;         /* (a) 0 = other programs have never taken anything */
};

/* Length of a tick of the balance driver, ns. */
static inline uint32_t sdpower_i_tick_ns(const struct sdpower *s)
{
	return 1000000000u / s->hz;
}

#endif
