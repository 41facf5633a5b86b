/* SPDX-License-Identifier: MIT */
/*
 * The domain tree as it lies in memory: indices only, no pointers between records, so a
 * tree can be copied, compared and overwritten while readers still look at it.
 *
 * Locking letters: (c) constant after init, (o) owner writes, all read, (a) any, atomic,
 * (g) part of a tree buffer: written by the control side while the buffer is inactive,
 * read by anyone; a reader rechecks the generation before it trusts what it read.
 *
 * Positions: inside the library cpus are numbered in topology order (node, drawer, book,
 * package, cache, cluster, core, cpu number), so that spans and groups are mostly one run
 * of positions. A span is a list of runs; a run may cover positions that are in no tree
 * (offline, not allowed): `active` says who counts.
 */
#ifndef SDPOWER_I_TREE_H
#define SDPOWER_I_TREE_H

#include <sdpower/domain.h>
#include "../port.h"

#define SDPOWER_I_NONE16 0xffffu
/* A block summarises at most this many positions; sums of 16 saturated loads fit 32 bits. */
#define SDPOWER_I_BLOCK_CPUS 16u
/* Domain indices are 16 bits; the highest two mean "none" and "wanted" (emit.h). */
#define SDPOWER_I_DOMAINS_MAX 0xfffeu
/* Nodes a classic NODE level spans at most. */
#define SDPOWER_I_NEAR_NODES 16u

/* Scheduling levels of both rule sets, inner to outer. Their parameters: templates.c. */
enum sdpower_i_level {
#define SDPOWER_X(name, text) SDPOWER_I_LEVEL_##name,
	SDPOWER_LEVEL_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_I_LEVELS
};

/* A run of positions. */
struct sdpower_i_run {
	uint16_t first;    /* (g) */
	uint16_t count;    /* (g) at least 1 */
};

/* A group of a domain. */
struct sdpower_i_group {
	uint32_t power;      /* (g) 1024 = one cpu; classic cpu_power, modern capacity */
	uint32_t run;        /* (g) first of its runs in tree->runs */
	uint16_t runs;       /* (g) number of runs */
	uint16_t first_cpu;  /* (g) lowest cpu number of the group: its name, breaks ties */
	uint16_t weight;     /* (g) active cpus */
	uint16_t block;      /* (g) if it is a row of whole blocks, the first of them */
	uint16_t blocks;     /* (g) and how many; else 0 */
};

/*
 * A domain: one span at one level with its groups; shared by all cpus that see it alike.
 * Classic: groups ascend by first cpu (NODE: by node), the ring of a cpu starts at its own
 * group and goes on cyclically. Modern: disjoint groups ascend by first cpu, the ring follows
 * the cpus (walk.c); overlapping groups are stored in ring order, own group first.
 */
struct sdpower_i_domain {
	uint32_t group;      /* (g) first of its groups in tree->groups */
	uint32_t run;        /* (g) first run of the span */
	uint32_t mask_run;   /* (g) overlapping groups: runs of the own group's balance mask */
	uint16_t groups;     /* (g) number of groups */
	uint16_t runs;       /* (g) */
	uint16_t mask_runs;  /* (g) 0 = the whole own group */
	uint16_t level;      /* (g) enum sdpower_i_level */
	uint16_t weight;     /* (g) active cpus of the span */
	uint16_t first_cpu;  /* (g) lowest cpu number of the span */
	uint16_t numa;       /* (g) NUMA levels: which, from 0 */
	uint16_t mask_weight;/* (g) online cpus of the level's mask, before it was cut to the map */
};

/* What one cpu sees at one depth of its chain; depth 0 is innermost. */
struct sdpower_i_link {
	uint32_t flags;      /* (g) enum sdpower_flag; per cpu because pruning hands flags on per cpu */
	uint32_t imb_numa_nr;/* (g) modern: imbalance allowed between nodes */
	uint16_t domain;     /* (g) index */
	uint16_t own_group;  /* (g) index within the domain of the group that holds this cpu */
};

/* Bits of sdpower_i_tree::state. */
enum sdpower_i_cpu_bits {
	SDPOWER_I_ONLINE = 1,
	SDPOWER_I_ALLOWED = 2
};

/*
 * One of the two tree buffers. The arrays are sized once at init for the worst case of any
 * knob setting and online set; offsets are (c), contents (g).
 */
struct sdpower_i_tree {
	struct sdpower_i_domain *domains;
	struct sdpower_i_group *groups;
	struct sdpower_i_run *runs;
	struct sdpower_i_link *links;  /* [position][depth_max] */
	uint16_t *depth;               /* [position] links in use; 0 = in no domain */
	uint16_t *active;              /* [block] bit i = position block.first + i is in this tree */
	uint16_t *partition;           /* [position] partition number, NONE16 = in none */
	uint16_t *state;               /* [position] set of enum sdpower_i_cpu_bits */
	uint32_t domain_count;         /* (g) */
	uint32_t group_count;          /* (g) */
	uint32_t run_count;            /* (g) */
	uint32_t mc, smt;              /* (g) knobs this tree was built for */
	uint32_t partition_count;      /* (g) partitions, empty ones included */
	uint32_t online_count;         /* (g) online cpus, allowed or not */
	uint32_t serial;               /* (g) generation this buffer belongs to */
};

/* Limits of the arrays above, computed from the topology before anything is placed. */
struct sdpower_i_bounds {
	uint32_t cpus, blocks, depth, domains, groups, runs;
	uint32_t nodes;     /* with possible cpus */
	uint32_t distances; /* rows of the distance matrix */
	uint32_t levels;    /* modern: different distances */
	uint32_t layers;    /* whose spans are classes (build.h) */
	uint32_t priorities;/* cpus, or 0 when all have the same priority */
};

/* A block: a run of at most 16 positions that never crosses a node, package or cache. */
struct sdpower_i_block {
	uint16_t first;  /* (c) first position */
	uint16_t count;  /* (c) positions */
};

/* What tells which cpus belong together, most significant for the numbering first. */
enum sdpower_i_key {
	SDPOWER_I_KEY_NODE,
	SDPOWER_I_KEY_DRAWER,
	SDPOWER_I_KEY_BOOK,
	SDPOWER_I_KEY_PACKAGE,
	SDPOWER_I_KEY_LLC,
	SDPOWER_I_KEY_CLUSTER,
	SDPOWER_I_KEY_L2,
	SDPOWER_I_KEY_CORE,
	SDPOWER_I_KEYS
};

struct sdpower_i_scratch;
struct sdpower_i_template;

/* Levels of the classic rules come first in the list of levels. */
#define SDPOWER_I_CLASSIC_LEVELS 5u

/* The numbering, what must be remembered of the topology, and the two trees. */
struct sdpower_i_forest {
	uint32_t cpu_count;            /* (c) possible cpus = positions */
	uint32_t block_count;          /* (c) */
	uint32_t node_count;           /* (c) at least 1; a machine without nodes has one */
	uint32_t node_ids;             /* (c) highest node id + 1 */
	uint32_t id_count;             /* (c) dense ids are below this: cpu_count, or node_count if more */
	uint32_t depth_max;            /* (c) links per cpu */
	uint32_t tree_rules, tuning;   /* (c) */
	uint32_t arch;                 /* (c) */
	const struct sdpower_i_template *templates[SDPOWER_I_CLASSIC_LEVELS]; /* (c) [level] */
	uint32_t overlapping;          /* (c) set of enum sdpower_overlap */
	uint32_t unequal;              /* (c) 1 = capacities differ */
	uint32_t threads;              /* (c) 1 = some cores have several */
	uint32_t max_partitions;       /* (c) */
	uint32_t wake_flags;           /* (c) flags or-ed into every level after pruning */
	int32_t relax_level;           /* (c) -1 = unset */
	const uint16_t *pos_of;        /* (c) [cpu] -> position */
	const uint16_t *cpu_at;        /* (c) [position] -> cpu */
	const uint16_t *block_at;      /* (c) [position] -> block */
	const struct sdpower_i_block *blocks; /* (c) [block] */
	const uint16_t *key[SDPOWER_I_KEYS];  /* (c) [position] dense ids, NONE16 = unknown; NODE: index */
	const uint16_t *capacity;      /* (c) [position] 1 .. 1024 */
	const uint16_t *priority;      /* (c) [position] higher first; NULL = all alike */
	const uint16_t *node_first;    /* (c) [node] its first position; [node_count] = cpu_count */
	const uint16_t *distances;     /* (c) [node][node] */
	const uint32_t *node_id;       /* (c) [node] */
	const uint32_t *os_id;         /* (c) [cpu] */
	struct sdpower_i_bounds bounds;/* (c) */
	struct sdpower_i_scratch *scratch; /* control side only */
	struct sdpower_i_tree trees[2];
	uint32_t generation;           /* (a) never 0; stored by the control side; trees[generation & 1] is active */
};

#endif
