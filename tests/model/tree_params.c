/* SPDX-License-Identifier: MIT */
/* B6 and B7: what the levels of each family carry. */
#include "tree.h"

#define F(name) ((uint32_t)SDPOWER_SD_##name)
#define LB F(LOAD_BALANCE)
#define NEWIDLE F(BALANCE_NEWIDLE)
#define EXEC F(BALANCE_EXEC)
#define FORK F(BALANCE_FORK)
#define AFFINE F(WAKE_AFFINE)
#define WBAL F(WAKE_BALANCE)

/* min, max, first interval; busy factor, percent, tries; five indices; flags. */
struct row {
	uint32_t min, max, first, factor, percent, tries, busy, idle, newidle, wake, forkexec, flags;
};

static const struct row sibling = { 1, 2, 1, 64, 110, 0, 0, 0, 0, 0, 0,
	LB | NEWIDLE | EXEC | FORK | AFFINE | WBAL | F(SHARE_CPUPOWER) };
static const struct row mc = { 1, 4, 1, 64, 125, 1, 2, 0, 0, 1, 1,
	LB | EXEC | FORK | AFFINE | WBAL | F(SHARE_PKG) };
static const struct row cpu = { 1, 4, 1, 64, 125, 1, 2, 1, 2, 1, 1,
	LB | EXEC | FORK | AFFINE | WBAL };
static const struct row ia64_cpu = { 1, 4, 1, 64, 125, 2, 2, 1, 2, 1, 1,
	LB | NEWIDLE | EXEC | AFFINE };
static const struct row all = { 64, 64, 64, 128, 133, 1, 3, 3, 0, 0, 0,
	LB | NEWIDLE | AFFINE | F(SERIALIZE) };

static struct row node_of(uint32_t arch)
{
	struct row r = { 8, 32, 1, 32, 125, 2, 3, 2, 2, 1, 1, LB | EXEC | FORK | WBAL | F(SERIALIZE) };

	switch (arch) {
	case SDPOWER_ARCH_IA64:
		r.max = 8;
		r.first = r.factor = 64;
		break;
	case SDPOWER_ARCH_POWERPC:
		r.tries = r.idle = 1;
		r.forkexec = 0;
		r.flags = LB | EXEC | NEWIDLE | F(WAKE_IDLE) | F(SERIALIZE) | WBAL;
		break;
	case SDPOWER_ARCH_SPARC64:
		r.newidle = 0;
		break;
	case SDPOWER_ARCH_SH:
		break;
	case SDPOWER_ARCH_MIPS:
		r.tries = 1;
		r.busy = r.idle = r.newidle = r.wake = r.forkexec = 0;
		r.flags = LB | EXEC | WBAL;
		break;
	case SDPOWER_ARCH_X86_32:
		r.tries = r.idle = 1;
		r.forkexec = 0;
		r.flags |= AFFINE;
		break;
	default:
		r.flags |= AFFINE;
	}
	return r;
}

static int node_is_x86s(uint32_t arch)
{
	return arch != SDPOWER_ARCH_IA64 && arch != SDPOWER_ARCH_POWERPC && arch != SDPOWER_ARCH_SPARC64 &&
		arch != SDPOWER_ARCH_SH && arch != SDPOWER_ARCH_MIPS;
}

int tree_has_sibling(uint32_t arch)
{
	return arch != SDPOWER_ARCH_S390;
}

int tree_has_numa(uint32_t arch)
{
	return arch != SDPOWER_ARCH_S390;
}

enum tree_mc tree_mc_of(uint32_t arch)
{
	switch (arch) {
	case SDPOWER_ARCH_S390:
	case SDPOWER_ARCH_SPARC64: return TREE_MC_SOCKET;
	case SDPOWER_ARCH_POWERPC:
	case SDPOWER_ARCH_IA64:
	case SDPOWER_ARCH_SH:
	case SDPOWER_ARCH_MIPS: return TREE_NO_MC;
	default: return TREE_MC_CACHE;
	}
}

/* Whether the level has the template of the generic CPU level: s390 uses it for MC too. */
static int is_generic_cpu(uint32_t arch, uint32_t level)
{
	if (arch == SDPOWER_ARCH_S390)
		return level == SDPOWER_LEVEL_MC_CLASSIC || level == SDPOWER_LEVEL_CPU;
	return arch != SDPOWER_ARCH_IA64 && level == SDPOWER_LEVEL_CPU;
}

static struct row row_of(uint32_t arch, uint32_t level)
{
	if (is_generic_cpu(arch, level))
		return cpu;
	switch (level) {
	case SDPOWER_LEVEL_SIBLING: return sibling;
	case SDPOWER_LEVEL_MC_CLASSIC: return mc;
	case SDPOWER_LEVEL_CPU: return ia64_cpu;
	case SDPOWER_LEVEL_NODE_CLASSIC: return node_of(arch);
	default: return all;
	}
}

static uint32_t flags_of(const struct tree_input *in, uint32_t level, uint32_t flags)
{
	const uint32_t arch = in->machine->arch;
	const int reverted = in->tuning == SDPOWER_TUNING_REVERTED;
	const int saves = in->mc || in->smt;

	if (is_generic_cpu(arch, level)) {
		if (reverted)
			flags = (flags & ~WBAL) | NEWIDLE;
		if (saves)
			flags |= F(POWERSAVINGS) | NEWIDLE;
	} else if (level == SDPOWER_LEVEL_MC_CLASSIC) {
		flags |= (saves ? NEWIDLE : 0u) | (in->smt ? F(POWERSAVINGS) : 0u);
	} else if (level == SDPOWER_LEVEL_NODE_CLASSIC && reverted && node_is_x86s(arch)) {
		flags &= ~AFFINE;
	}
	if (in->relax >= 0 && (int32_t)level + 1 > in->relax)
		flags &= ~(F(WAKE_IDLE) | NEWIDLE);
	else if (in->relax >= 0)
		flags |= F(WAKE_IDLE_FAR) | NEWIDLE;
	return flags;
}

void tree_params(const struct tree_input *in, uint32_t level, struct tree_level *l)
{
	const struct row r = row_of(in->machine->arch, level);
	uint32_t online = 0;

	for (uint32_t i = 0; i < in->machine->cpu_count; i++)
		online += in->online[i];
	l->level = level;
	l->flags = flags_of(in, level, r.flags);
	l->params = (struct sdpower_domain_info){ .min_interval = r.min, .max_interval = r.max,
		.balance_interval = r.first, .busy_factor = r.factor, .imbalance_pct = r.percent,
		.cache_nice_tries = r.tries, .busy_idx = r.busy, .idle_idx = r.idle,
		.newidle_idx = r.newidle, .wake_idx = r.wake, .forkexec_idx = r.forkexec };
	if (level == SDPOWER_LEVEL_ALLNODES)
		l->params.max_interval *= online;
	if (level == SDPOWER_LEVEL_NODE_CLASSIC && in->machine->arch == SDPOWER_ARCH_IA64)
		l->params.max_interval *= online < 32 ? online : 32;
}
