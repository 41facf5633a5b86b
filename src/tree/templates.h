/* SPDX-License-Identifier: MIT */
/* Parameters of the levels, by processor family and tuning (docs/POLICY.md B4, B6, B13). */
#ifndef SDPOWER_I_TEMPLATES_H
#define SDPOWER_I_TEMPLATES_H

#include "degenerate.h"
#include "tree.h"

/* What a level's maximum interval is multiplied by. */
enum sdpower_i_scale {
	SDPOWER_I_SCALE_NONE,
	SDPOWER_I_SCALE_ONLINE,   /* online cpus */
	SDPOWER_I_SCALE_ONLINE_32 /* online cpus, at most 32 */
};

/* A classic level. */
struct sdpower_i_template {
	uint32_t flags;
	uint16_t min_interval, max_interval; /* ms; max still to be scaled */
	uint16_t balance_interval;           /* ms, first one */
	uint16_t busy_factor;
	uint16_t imbalance_pct;
	uint8_t scale;                       /* enum sdpower_i_scale */
	uint8_t cache_nice_tries;
	uint8_t busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	uint8_t savings;                     /* enum sdpower_i_savings */
};

/* How a classic level answers to the knobs. */
enum sdpower_i_savings {
	SDPOWER_I_SAVES_NEVER,
	SDPOWER_I_SAVES_CORES,   /* POWERSAVINGS iff smt > 0 */
	SDPOWER_I_SAVES_PACKAGES /* POWERSAVINGS iff mc or smt > 0 */
};

/* Which cpus the classic MC level joins. */
enum sdpower_i_classic_mc {
	SDPOWER_I_MC_NONE,
	SDPOWER_I_MC_CACHE,  /* the last-level cache; the package as soon as power is saved */
	SDPOWER_I_MC_SOCKET
};

/* What a processor family has. */
struct sdpower_i_family {
	uint8_t sibling;     /* classic: has a SIBLING level */
	uint8_t mc;          /* classic: enum sdpower_i_classic_mc */
	uint8_t numa;        /* classic: has NODE and ALLNODES */
	uint8_t x86;         /* modern: L2 sharers are clusters, caches are cut to the node, no PKG when a package holds several nodes */
	uint8_t cluster;     /* modern: has CLS */
	uint8_t modern_mc;   /* modern: has MC */
	uint8_t socket;      /* modern: MC is the socket, with BOOK and DRAWER above */
	uint8_t cache;       /* modern: has CACHE, the L2 */
	const struct sdpower_i_template *mc_template, *cpu_template, *node_template;
};

/* Run-time parameters of a domain. */
struct sdpower_i_params {
	uint32_t min_interval, max_interval; /* ms */
	uint32_t balance_interval;           /* ms */
	uint32_t busy_factor;
	uint32_t imbalance_pct;
	uint32_t cache_nice_tries;
	uint32_t idx[3];                     /* load index by enum sdpower_idle */
	uint32_t wake_idx, forkexec_idx;
};

const struct sdpower_i_family *sdpower_i_family_of(uint32_t arch);

/* The template of a classic level, or NULL for a modern one. */
const struct sdpower_i_template *sdpower_i_template_of(uint32_t arch, uint32_t level);

/* Flags a classic level starts with, before pruning. */
uint32_t sdpower_i_classic_flags(const struct sdpower_i_forest *f, uint32_t level, uint32_t mc,
	uint32_t smt);

/* True iff nodes this far apart are beyond the reclaim distance (modern). */
int sdpower_i_is_far(uint32_t distance);

/* Flags a modern level starts with, before capacities, savings and pruning. */
uint32_t sdpower_i_modern_flags(uint32_t level, uint32_t distance);

/* Parameters of a domain; online = online cpus of the machine, allowed or not. */
void sdpower_i_params_of(const struct sdpower_i_forest *f, const struct sdpower_i_domain *d,
	uint32_t online, struct sdpower_i_params *params);

/* The pruning rules of a rule set. */
struct sdpower_i_pruning sdpower_i_pruning_of(uint32_t tree_rules, uint32_t node_ids);

#endif
