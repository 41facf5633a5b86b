/* SPDX-License-Identifier: MIT */
/*
 * Parameters of the levels, by processor family and tuning: the tables behind docs/POLICY.md
 * B6 and B13. Families differ in their NODE level and a little in CPU and MC.
 */
#include "templates.h"

#include <sdpower/instance.h>

#define FLAG(name) ((uint32_t)SDPOWER_SD_##name)
#define LB FLAG(LOAD_BALANCE)
#define NEWIDLE FLAG(BALANCE_NEWIDLE)
#define EXEC FLAG(BALANCE_EXEC)
#define FORK FLAG(BALANCE_FORK)
#define IDLE FLAG(WAKE_IDLE)
#define AFFINE FLAG(WAKE_AFFINE)
#define WBAL FLAG(WAKE_BALANCE)
#define SERIALIZE FLAG(SERIALIZE)
#define SAVINGS FLAG(POWERSAVINGS)

/* Distances strictly beyond this are too far for fork, exec and wake-ups (modern). */
#define RECLAIM_DISTANCE 30u

#define TEMPLATE(min, max, scaled, first, busy, pct, tries, b, i, n, w, f, saves, set) { \
	.flags = (set), .min_interval = (min), .max_interval = (max), .balance_interval = (first), \
	.busy_factor = (busy), .imbalance_pct = (pct), .scale = (scaled), \
	.cache_nice_tries = (tries), .busy_idx = (b), .idle_idx = (i), .newidle_idx = (n), \
	.wake_idx = (w), .forkexec_idx = (f), .savings = (saves) }

static const struct sdpower_i_template sibling = TEMPLATE(1, 2, SDPOWER_I_SCALE_NONE, 1, 64, 110,
	0, 0, 0, 0, 0, 0, SDPOWER_I_SAVES_NEVER,
	LB | NEWIDLE | EXEC | FORK | AFFINE | WBAL | FLAG(SHARE_CPUPOWER));
static const struct sdpower_i_template generic_mc = TEMPLATE(1, 4, SDPOWER_I_SCALE_NONE, 1, 64, 125,
	1, 2, 0, 0, 1, 1, SDPOWER_I_SAVES_CORES,
	LB | EXEC | FORK | AFFINE | WBAL | FLAG(SHARE_PKG));
static const struct sdpower_i_template generic_cpu = TEMPLATE(1, 4, SDPOWER_I_SCALE_NONE, 1, 64, 125,
	1, 2, 1, 2, 1, 1, SDPOWER_I_SAVES_PACKAGES, LB | EXEC | FORK | AFFINE | WBAL);
static const struct sdpower_i_template ia64_cpu = TEMPLATE(1, 4, SDPOWER_I_SCALE_NONE, 1, 64, 125,
	2, 2, 1, 2, 1, 1, SDPOWER_I_SAVES_NEVER, LB | NEWIDLE | EXEC | AFFINE);
static const struct sdpower_i_template allnodes = TEMPLATE(64, 64, SDPOWER_I_SCALE_ONLINE, 64, 128,
	133, 1, 3, 3, 0, 0, 0, SDPOWER_I_SAVES_NEVER, LB | NEWIDLE | AFFINE | SERIALIZE);
static const struct sdpower_i_template x86_64_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 2, 3, 2, 2, 1, 1, SDPOWER_I_SAVES_NEVER, LB | EXEC | FORK | AFFINE | WBAL | SERIALIZE);
static const struct sdpower_i_template x86_32_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 1, 3, 1, 2, 1, 0, SDPOWER_I_SAVES_NEVER, LB | EXEC | FORK | AFFINE | WBAL | SERIALIZE);
static const struct sdpower_i_template ia64_node = TEMPLATE(8, 8, SDPOWER_I_SCALE_ONLINE_32, 64, 64,
	125, 2, 3, 2, 2, 1, 1, SDPOWER_I_SAVES_NEVER, LB | EXEC | FORK | SERIALIZE | WBAL);
static const struct sdpower_i_template powerpc_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 1, 3, 1, 2, 1, 0, SDPOWER_I_SAVES_NEVER, LB | EXEC | NEWIDLE | IDLE | SERIALIZE | WBAL);
static const struct sdpower_i_template sparc64_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 2, 3, 2, 0, 1, 1, SDPOWER_I_SAVES_NEVER, LB | FORK | EXEC | SERIALIZE | WBAL);
static const struct sdpower_i_template sh_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 2, 3, 2, 2, 1, 1, SDPOWER_I_SAVES_NEVER, LB | FORK | EXEC | SERIALIZE | WBAL);
static const struct sdpower_i_template mips_node = TEMPLATE(8, 32, SDPOWER_I_SCALE_NONE, 1, 32,
	125, 1, 0, 0, 0, 0, 0, SDPOWER_I_SAVES_NEVER, LB | EXEC | WBAL);

/*
 * Families 2.6.30 had no levels for (Arm, RISC-V and whatever comes) follow x86 there: the
 * last-level cache is what matters on them too.
 */
static const struct sdpower_i_family families[] = {
	[SDPOWER_ARCH_GENERIC] = { 1, SDPOWER_I_MC_CACHE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_64_node },
	[SDPOWER_ARCH_X86_64] = { 1, SDPOWER_I_MC_CACHE, 1, 1, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_64_node },
	[SDPOWER_ARCH_X86_32] = { 1, SDPOWER_I_MC_CACHE, 1, 1, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_32_node },
	[SDPOWER_ARCH_ARM] = { 1, SDPOWER_I_MC_CACHE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_64_node },
	[SDPOWER_ARCH_ARM64] = { 1, SDPOWER_I_MC_CACHE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_64_node },
	[SDPOWER_ARCH_POWERPC] = { 1, SDPOWER_I_MC_NONE, 1, 0, 0, 0, 0, 1,
		&generic_mc, &generic_cpu, &powerpc_node },
	[SDPOWER_ARCH_S390] = { 0, SDPOWER_I_MC_SOCKET, 0, 0, 0, 1, 1, 0,
		&generic_cpu, &generic_cpu, &x86_64_node },
	[SDPOWER_ARCH_IA64] = { 1, SDPOWER_I_MC_NONE, 1, 0, 0, 0, 0, 0,
		&generic_mc, &ia64_cpu, &ia64_node },
	[SDPOWER_ARCH_SPARC64] = { 1, SDPOWER_I_MC_SOCKET, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &sparc64_node },
	[SDPOWER_ARCH_SH] = { 1, SDPOWER_I_MC_NONE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &sh_node },
	[SDPOWER_ARCH_MIPS] = { 1, SDPOWER_I_MC_NONE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &mips_node },
	[SDPOWER_ARCH_RISCV] = { 1, SDPOWER_I_MC_CACHE, 1, 0, 1, 1, 0, 0,
		&generic_mc, &generic_cpu, &x86_64_node },
};

const struct sdpower_i_family *sdpower_i_family_of(uint32_t arch)
{
	return &families[arch < sizeof(families) / sizeof(families[0]) ? arch : 0];
}

const struct sdpower_i_template *sdpower_i_template_of(uint32_t arch, uint32_t level)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(arch);

	switch (level) {
	case SDPOWER_I_LEVEL_SIBLING: return &sibling;
	case SDPOWER_I_LEVEL_MC_CLASSIC: return family->mc_template;
	case SDPOWER_I_LEVEL_CPU: return family->cpu_template;
	case SDPOWER_I_LEVEL_NODE_CLASSIC: return family->node_template;
	case SDPOWER_I_LEVEL_ALLNODES: return &allnodes;
	default: return NULL;
	}
}

/* The re-tuning of November 2008 touched the generic CPU template and the NODE of x86 only. */
static uint32_t reverted_flags(const struct sdpower_i_template *t)
{
	if (t == &generic_cpu)
		return (t->flags | NEWIDLE) & ~WBAL;
	if (t == &x86_64_node || t == &x86_32_node)
		return t->flags & ~AFFINE;
	return t->flags;
}

static uint32_t savings_flags(const struct sdpower_i_template *t, uint32_t mc, uint32_t smt)
{
	if (t->savings == SDPOWER_I_SAVES_NEVER || (!mc && !smt))
		return 0;
	/* Consolidation wants cpus that look for work before they sleep. */
	return NEWIDLE | (t->savings == SDPOWER_I_SAVES_PACKAGES || smt ? SAVINGS : 0u);
}

/* number = the level's number in the rule, 1 = SIBLING .. 5 = ALLNODES. */
static uint32_t relaxed(uint32_t flags, int32_t request, int32_t number)
{
	if (request < 0)
		return flags;
	if (request < number)
		return flags & ~(IDLE | NEWIDLE);
	return flags | FLAG(WAKE_IDLE_FAR) | NEWIDLE;
}

uint32_t sdpower_i_classic_flags(const struct sdpower_i_forest *f, uint32_t level, uint32_t mc,
	uint32_t smt)
{
	const struct sdpower_i_template *t = sdpower_i_template_of(f->arch, level);
	const uint32_t flags = f->tuning == SDPOWER_TUNING_REVERTED ? reverted_flags(t) : t->flags;

	return relaxed(flags | savings_flags(t, mc, smt), f->relax_level, (int32_t)level + 1);
}

int sdpower_i_is_far(uint32_t distance)
{
	return distance > RECLAIM_DISTANCE;
}

uint32_t sdpower_i_modern_flags(uint32_t level, uint32_t distance)
{
	const uint32_t usual = NEWIDLE | EXEC | FORK | AFFINE | FLAG(PREFER_SIBLING);

	switch (level) {
	case SDPOWER_I_LEVEL_SMT: return usual | FLAG(SHARE_CPUPOWER) | FLAG(SHARE_PKG);
	case SDPOWER_I_LEVEL_CLS: return usual | FLAG(CLUSTER) | FLAG(SHARE_PKG);
	case SDPOWER_I_LEVEL_CACHE:
	case SDPOWER_I_LEVEL_MC: return usual | FLAG(SHARE_PKG);
	case SDPOWER_I_LEVEL_NUMA: break;
	default: return usual;
	}
	if (sdpower_i_is_far(distance))
		return NEWIDLE | SERIALIZE | FLAG(NUMA) | FLAG(OVERLAP);
	return NEWIDLE | EXEC | FORK | AFFINE | SERIALIZE | FLAG(NUMA) | FLAG(OVERLAP);
}

static void modern_params(const struct sdpower_i_domain *d, struct sdpower_i_params *p)
{
	const uint32_t w = d->mask_weight;

	p->min_interval = w;
	p->max_interval = 2 * w;
	p->balance_interval = w;
	p->busy_factor = 16;
	p->imbalance_pct = d->level == SDPOWER_I_LEVEL_SMT ? 110 : 117;
	p->cache_nice_tries = d->level == SDPOWER_I_LEVEL_SMT ? 0 :
		d->level == SDPOWER_I_LEVEL_NUMA ? 2 : 1;
	p->idx[0] = p->idx[1] = p->idx[2] = p->wake_idx = p->forkexec_idx = 0;
}

void sdpower_i_params_of(const struct sdpower_i_forest *f, const struct sdpower_i_domain *d,
	uint32_t online, struct sdpower_i_params *p)
{
	const struct sdpower_i_template *t = sdpower_i_template_of(f->arch, d->level);

	if (!t) {
		modern_params(d, p);
		return;
	}
	p->min_interval = t->min_interval;
	p->max_interval = t->max_interval;
	if (t->scale == SDPOWER_I_SCALE_ONLINE)
		p->max_interval *= online;
	else if (t->scale == SDPOWER_I_SCALE_ONLINE_32)
		p->max_interval *= online < 32 ? online : 32;
	p->balance_interval = t->balance_interval;
	p->busy_factor = t->busy_factor;
	p->imbalance_pct = t->imbalance_pct;
	p->cache_nice_tries = t->cache_nice_tries;
	p->idx[SDPOWER_CPU_IDLE] = t->idle_idx;
	p->idx[SDPOWER_CPU_NOT_IDLE] = t->busy_idx;
	p->idx[SDPOWER_CPU_NEWLY_IDLE] = t->newidle_idx;
	p->wake_idx = t->wake_idx;
	p->forkexec_idx = t->forkexec_idx;
}

struct sdpower_i_pruning sdpower_i_pruning_of(uint32_t tree_rules, uint32_t node_ids)
{
	struct sdpower_i_pruning p;

	p.node_ids = node_ids;
	p.ignore_savings = tree_rules != SDPOWER_TREE_CLASSIC_30;
	if (tree_rules == SDPOWER_TREE_MODERN) {
		p.wake_flags = AFFINE;
		p.need_groups = ~AFFINE;
	} else {
		p.wake_flags = IDLE | AFFINE | WBAL;
		p.need_groups = LB | NEWIDLE | FORK | EXEC | FLAG(SHARE_CPUPOWER) | FLAG(SHARE_PKG);
	}
	return p;
}
