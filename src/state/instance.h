/* SPDX-License-Identifier: MIT */
/*
 * The instance: everything in the caller's block, placed once by init (instance.c).
 * Locking letters: tree/tree.h.
 */
#ifndef SDPOWER_I_INSTANCE_H
#define SDPOWER_I_INSTANCE_H

#include "../port.h"
#include "../tree/tree.h"

/* States of sdpower_i_slot::status. */
enum sdpower_i_status {
	SDPOWER_I_RUNNING = 0,
	SDPOWER_I_IDLE = 1,
	SDPOWER_I_CLAIMED = 2 /* idle, and somebody has decided to wake it */
};

/* One cpu, one cache line. Truth; everything else is derived from slots. */
struct sdpower_i_slot {
	uint32_t load;        /* (o) weighted load now */
	uint32_t nr;          /* (o) runnable tasks, <= 65535 */
	uint32_t status;      /* (a) enum sdpower_i_status: owner stores, claimers compare-and-swap */
	uint32_t cpu_load[5]; /* (o) decayed loads, updated by the owner's tick */
	uint32_t avg_idle;    /* (o) ns, saturating */
	uint32_t idle_since;  /* (o) 1024 ns units, modulo 2^32; valid while not running */
	uint32_t clamped;     /* (o) samples that ran backwards or were absurd */
	uint32_t reserved[5];
};

/*
 * Summary of a block of slots, two cache lines. seq is odd while the elected cpu of the
 * block rewrites it; dirty is set by every publisher after its slot; serial names the tree
 * whose `active` set was summed. A query uses a record only if seq is even and unchanged,
 * dirty is 0 and serial is that of the tree it walks; otherwise it reads the slots.
 */
struct sdpower_i_record {
	uint32_t dirty;       /* (a) */
	uint32_t seq;         /* (o: the block's elected cpu) */
	uint32_t serial;      /* (o: elected) */
	uint32_t nr;          /* sum of nr */
	uint32_t avg_load;    /* sum of load / nr over cpus with nr > 0 */
	uint32_t idle;        /* bit i = position first + i is idle (claimed counts as idle for statistics) */
	uint32_t claimed;     /* bit i = claimed */
	uint32_t pad[1];
	struct sdpower_i_sums {
		uint32_t source_sum, source_max, source_min, target_sum;
	} idx[4];             /* load indices 0 .. 3; others are always scanned */
	uint32_t pad2[8];
};

/* Load and capacity that other programs take from a cpu; written by the control side. */
struct sdpower_i_outside {
	uint32_t util;      /* (a) 0 .. 1024 */
	uint32_t capacity;  /* (a) 0 .. 1024 left for us */
};

struct sdpower {
	uint32_t magic, layout;        /* (c) */
	uint32_t cpu_count;            /* (c) */
	uint32_t block_count;          /* (c) */
	uint32_t depth_max;            /* (c) links per cpu */
	uint32_t tree_rules, tuning, decision_rules; /* (c) */
	uint32_t arch;                 /* (c) */
	uint32_t wake_flags;           /* (c) flags or-ed into every level after pruning */
	int32_t relax_level;           /* (c) -1 = unset */
	uint32_t migration_cost_ns;    /* (c) cache-hot limit */
	uint32_t node_count;           /* (c) */
	const uint16_t *pos_of;        /* (c) [cpu] -> position */
	const uint16_t *cpu_at;        /* (c) [position] -> cpu */
	const uint16_t *block_at;      /* (c) [position] -> block */
	const struct sdpower_i_block *blocks; /* (c) [block] */
	struct sdpower_i_slot *slots;  /* [position], each on a line of its own */
	struct sdpower_i_record *records; /* [block] */
	struct sdpower_i_outside *outside; /* [position] */
	struct sdpower_i_tree trees[2];
	uint32_t generation;           /* (a) stored by the control side; trees[generation & 1] is active */
	uint32_t nominee;              /* (a) preferred wake-up cpu (cpu number), 0 at start as in the original */
};

#endif
