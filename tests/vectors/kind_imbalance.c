/* SPDX-License-Identifier: MIT */
/* Kind imbalance: rule D4 alone. */
#include "vectors.h"
#include "decide/decide.h"

static void replay(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	struct sdpower_i_amounts a;
	uint64_t id, small_only, load, nr, imbalance, this_lpt;

	vec_word(line, "I");
	id = vec_number(line);
	small_only = vec_number(line);
	a.max = vec_number(line);
	a.avg = vec_number(line);
	a.this = vec_number(line);
	a.this_nr = (uint32_t)vec_number(line);
	a.this_lpt = vec_number(line);
	a.busiest_lpt = vec_number(line);
	a.busiest_power = (uint32_t)vec_number(line);
	a.this_power = (uint32_t)vec_number(line);
	load = vec_number(line);
	nr = vec_number(line);
	a.asker_lpt = sdpower_i_per_task((uint32_t)load, (uint32_t)nr);
	a.imbalance = vec_number(line);
	(void)vec_number(line); /* what 32-bit reciprocals gave */
	(void)vec_number(line);
	imbalance = vec_number(line);
	this_lpt = vec_number(line);
	if (!vec_complete(line) || small_only > 1 || !a.busiest_power || !a.this_power) {
		vec_malformed(run, "I");
		return;
	}
	vec_begin(run, id);
	if (small_only)
		sdpower_i_small_imbalance(&a);
	else
		(void)sdpower_i_imbalance(&a);
	vec_expect(run, "imb_exact", (int64_t)imbalance, (int64_t)a.imbalance);
	vec_expect(run, "this_lpt_exact", (int64_t)this_lpt, (int64_t)a.this_lpt);
}

void vec_imbalance(struct vec_run *run)
{
	while (vec_next(run))
		replay(run);
}
