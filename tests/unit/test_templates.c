/* SPDX-License-Identifier: MIT */
/*
 * Description: the parameters of the classic levels are those of the tables (2.6.30, and the
 * re-tuning of November 2008 taken back), for every processor family and knob.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower.h>

#include "tree/templates.h"

/* One level of a family: letters as in dumps, then the numbers. */
struct row {
	uint32_t arch, level;
	const char *flags, *saving, *reverted; /* (0,0); (2,2); (0,0) with the reverted tuning */
	uint32_t min, max, factor, pct, tries, idx[5]; /* busy idle newidle wake forkexec */
};

#define X64 SDPOWER_ARCH_X86_64
#define X32 SDPOWER_ARCH_X86_32
#define SIBLING SDPOWER_LEVEL_SIBLING
#define MC SDPOWER_LEVEL_MC_CLASSIC
#define CPU SDPOWER_LEVEL_CPU
#define NODE SDPOWER_LEVEL_NODE_CLASSIC
#define ALLNODES SDPOWER_LEVEL_ALLNODES
#define ONLINE 40u

static const struct row rows[] = {
	{ X64, SIBLING, "Lnefaws", "Lnefaws", "Lnefaws", 1, 2, 64, 110, 0, { 0, 0, 0, 0, 0 } },
	{ X64, MC, "Lefawl", "LnefawPl", "Lefawl", 1, 4, 64, 125, 1, { 2, 0, 0, 1, 1 } },
	{ X64, CPU, "Lefaw", "LnefawP", "Lnefa", 1, 4, 64, 125, 1, { 2, 1, 2, 1, 1 } },
	{ X64, NODE, "Lefawz", "Lefawz", "Lefwz", 8, 32, 32, 125, 2, { 3, 2, 2, 1, 1 } },
	{ X64, ALLNODES, "Lnaz", "Lnaz", "Lnaz", 64, 64 * ONLINE, 128, 133, 1, { 3, 3, 0, 0, 0 } },
	{ X32, NODE, "Lefawz", "Lefawz", "Lefwz", 8, 32, 32, 125, 1, { 3, 1, 2, 1, 0 } },
	{ SDPOWER_ARCH_IA64, CPU, "Lnea", "Lnea", "Lnea", 1, 4, 64, 125, 2, { 2, 1, 2, 1, 1 } },
	{ SDPOWER_ARCH_IA64, NODE, "Lefwz", "Lefwz", "Lefwz", 8, 8 * 32, 64, 125, 2, { 3, 2, 2, 1, 1 } },
	{ SDPOWER_ARCH_POWERPC, SIBLING, "Lnefaws", "Lnefaws", "Lnefaws", 1, 2, 64, 110, 0,
		{ 0, 0, 0, 0, 0 } },
	{ SDPOWER_ARCH_POWERPC, CPU, "Lefaw", "LnefawP", "Lnefa", 1, 4, 64, 125, 1, { 2, 1, 2, 1, 1 } },
	{ SDPOWER_ARCH_POWERPC, NODE, "Lneiwz", "Lneiwz", "Lneiwz", 8, 32, 32, 125, 1,
		{ 3, 1, 2, 1, 0 } },
	{ SDPOWER_ARCH_SPARC64, NODE, "Lefwz", "Lefwz", "Lefwz", 8, 32, 32, 125, 2, { 3, 2, 0, 1, 1 } },
	{ SDPOWER_ARCH_SH, NODE, "Lefwz", "Lefwz", "Lefwz", 8, 32, 32, 125, 2, { 3, 2, 2, 1, 1 } },
	{ SDPOWER_ARCH_MIPS, NODE, "Lew", "Lew", "Lew", 8, 32, 32, 125, 1, { 0, 0, 0, 0, 0 } },
	{ SDPOWER_ARCH_S390, MC, "Lefaw", "LnefawP", "Lnefa", 1, 4, 64, 125, 1, { 2, 1, 2, 1, 1 } },
	{ SDPOWER_ARCH_S390, CPU, "Lefaw", "LnefawP", "Lnefa", 1, 4, 64, 125, 1, { 2, 1, 2, 1, 1 } },
};

static uint32_t flags_of(const char *letters)
{
	uint32_t flags = 0;

	for (; *letters; letters++) {
#define SDPOWER_X(name, bit, classic, modern) flags |= *letters == (classic) ? (bit) : 0u;
		SDPOWER_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
	}
	return flags;
}

static struct sdpower_i_forest forest_of(uint32_t arch)
{
	struct sdpower_i_forest f;

	memset(&f, 0, sizeof(f));
	f.arch = arch;
	f.relax_level = -1;
	return f;
}

static void flags_are_those_of_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdpower_i_forest f = forest_of(rows[i].arch);

		assert_int_equal(sdpower_i_classic_flags(&f, rows[i].level, 0, 0), flags_of(rows[i].flags));
		assert_int_equal(sdpower_i_classic_flags(&f, rows[i].level, 2, 2), flags_of(rows[i].saving));
		f.tuning = SDPOWER_TUNING_REVERTED;
		assert_int_equal(sdpower_i_classic_flags(&f, rows[i].level, 0, 0),
			flags_of(rows[i].reverted));
	}
}

static void numbers_are_those_of_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		const struct sdpower_i_template *t = sdpower_i_template_of(r->arch, r->level);

		assert_int_equal(t->min_interval, r->min);
		assert_int_equal(t->max_interval * (t->scale == SDPOWER_I_SCALE_ONLINE ? ONLINE :
			t->scale == SDPOWER_I_SCALE_ONLINE_32 ? 32 : 1), r->max);
		assert_int_equal(t->busy_factor, r->factor);
		assert_int_equal(t->imbalance_pct, r->pct);
		assert_int_equal(t->cache_nice_tries, r->tries);
		assert_int_equal(t->busy_idx, r->idx[0]);
		assert_int_equal(t->idle_idx, r->idx[1]);
		assert_int_equal(t->newidle_idx, r->idx[2]);
		assert_int_equal(t->wake_idx, r->idx[3]);
		assert_int_equal(t->forkexec_idx, r->idx[4]);
		assert_int_equal(t->balance_interval, r->level == ALLNODES ||
			(r->arch == SDPOWER_ARCH_IA64 && r->level == NODE) ? 64 : 1);
	}
}

static void mc_alone_saves_packages_only(void **state)
{
	struct sdpower_i_forest f = forest_of(X64);

	(void)state;
	for (uint32_t knob = 1; knob <= 2; knob++) {
		assert_int_equal(sdpower_i_classic_flags(&f, MC, knob, 0), flags_of("Lnefawl"));
		assert_int_equal(sdpower_i_classic_flags(&f, CPU, knob, 0), flags_of("LnefawP"));
		assert_int_equal(sdpower_i_classic_flags(&f, MC, 0, knob), flags_of("LnefawPl"));
		assert_int_equal(sdpower_i_classic_flags(&f, CPU, 0, knob), flags_of("LnefawP"));
	}
}

static void a_relax_level_widens_up_to_it(void **state)
{
	struct sdpower_i_forest f = forest_of(X64);

	(void)state;
	f.relax_level = 2;
	assert_int_equal(sdpower_i_classic_flags(&f, SIBLING, 0, 0), flags_of("LnefawsI"));
	assert_int_equal(sdpower_i_classic_flags(&f, MC, 0, 0), flags_of("LnefawlI"));
	assert_int_equal(sdpower_i_classic_flags(&f, CPU, 2, 0), flags_of("LefawP"));
	assert_int_equal(sdpower_i_classic_flags(&f, ALLNODES, 0, 0), flags_of("Laz"));
	f.relax_level = 0;
	assert_int_equal(sdpower_i_classic_flags(&f, SIBLING, 0, 0), flags_of("Lefaws"));
	f.arch = SDPOWER_ARCH_POWERPC;
	assert_int_equal(sdpower_i_classic_flags(&f, NODE, 0, 0), flags_of("Lewz"));
}

static void every_family_has_every_level_or_none(void **state)
{
	(void)state;
	for (uint32_t arch = 0; arch <= SDPOWER_ARCH_RISCV; arch++) {
		const struct sdpower_i_family *family = sdpower_i_family_of(arch);

		assert_non_null(family->mc_template);
		assert_non_null(family->cpu_template);
		assert_non_null(family->node_template);
	}
	assert_null(sdpower_i_template_of(X64, SDPOWER_LEVEL_SMT));
	assert_ptr_equal(sdpower_i_family_of(1000), sdpower_i_family_of(0));
	assert_int_equal(sdpower_i_family_of(SDPOWER_ARCH_S390)->sibling, 0);
	assert_int_equal(sdpower_i_family_of(SDPOWER_ARCH_S390)->numa, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_those_of_the_tables),
		cmocka_unit_test(numbers_are_those_of_the_tables),
		cmocka_unit_test(mc_alone_saves_packages_only),
		cmocka_unit_test(a_relax_level_widens_up_to_it),
		cmocka_unit_test(every_family_has_every_level_or_none),
	};

	return cmocka_run_group_tests_name("templates", tests, NULL, NULL);
}
