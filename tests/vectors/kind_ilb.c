/* SPDX-License-Identifier: MIT */
/* Kind ilb: who balances for the tickless cpus. */
#include "vectors.h"

static void replay(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	uint64_t id, tree, cpu, mc, smt, mask, expected;
	struct sdpower_pick pick = { 0, 0 };
	uint32_t words[2];
	struct sdpower *s;

	vec_word(line, "N");
	id = vec_number(line);
	tree = vec_number(line);
	cpu = vec_number(line);
	mc = vec_number(line);
	smt = vec_number(line);
	mask = vec_mask(line);
	vec_word(line, "=");
	expected = vec_number(line);
	s = line->bad ? NULL : vec_tree_instance(run->trees, (unsigned)tree, (uint32_t)mc,
		(uint32_t)smt, SDPOWER_DECIDE_CLASSIC, 0);
	words[0] = (uint32_t)mask;
	words[1] = (uint32_t)(mask >> 32);
	if (!vec_complete(line) || !s || sdpower_find_ilb(s, (uint32_t)cpu, words, 2, &pick)) {
		vec_malformed(run, "N");
		return;
	}
	vec_begin(run, id);
	vec_expect(run, "ilb", (int64_t)expected, pick.cpu == SDPOWER_CPU_NONE ?
		(int64_t)vec_tree_cpus(run->trees, (unsigned)tree) : (int64_t)pick.cpu);
}

void vec_ilb(struct vec_run *run)
{
	while (vec_next(run))
		replay(run);
}
