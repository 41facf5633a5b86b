/* SPDX-License-Identifier: MIT */
/*
 * Searchers: cpus that stay awake without work and look for some, at most about half of those
 * that are awake. The instance names one of them, so that whoever has work to hand out finds
 * it with two loads; the name is passed on when that cpu stops.
 */
#include "state.h"

static int is_searching(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load(&s->slots[pos].status) == SDPOWER_I_SEARCHING;
}

void sdpower_i_pass_on_search(struct sdpower *s, uint32_t pos)
{
	sdpower_cpu next = SDPOWER_CPU_NONE;

	if (sdpower_i_load(&s->searcher) != s->forest.cpu_at[pos])
		return;
	for (uint32_t other = 0; other < s->forest.cpu_count && next == SDPOWER_CPU_NONE; other++)
		if (other != pos && is_searching(s, other))
			next = s->forest.cpu_at[other];
	sdpower_i_store(&s->searcher, next);
}

/* Twice the searchers are at most one more than the cpus with work or in search of it. */
static int too_many_search(const struct sdpower *s)
{
	uint32_t searching = 0, active = 0;

	for (uint32_t pos = 0; pos < s->forest.cpu_count; pos++) {
		const int search = is_searching(s, pos);

		searching += (uint32_t)search;
		active += search || sdpower_i_load(&s->slots[pos].nr);
	}
	return 2 * searching > active + 1;
}

static void stop(struct sdpower *s, uint32_t pos)
{
	sdpower_i_store(&s->slots[pos].status, SDPOWER_I_RUNNING);
	sdpower_i_publish(s, pos);
	sdpower_i_pass_on_search(s, pos);
}

sdpower_status sdpower_search_begin(struct sdpower *s, sdpower_cpu cpu)
{
	uint32_t pos, now;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	now = sdpower_i_load(&s->slots[pos].status);
	if (now != SDPOWER_I_RUNNING && now != SDPOWER_I_SEARCHING)
		return SDPOWER_EINVAL;
	sdpower_i_store(&s->slots[pos].status, SDPOWER_I_SEARCHING);
	sdpower_i_publish(s, pos);
	/* Of two that begin at once at least one counts both: the count comes after this store. */
	sdpower_i_store_full(&s->searcher, cpu);
	if (!too_many_search(s))
		return SDPOWER_OK;
	stop(s, pos);
	return SDPOWER_EBUSY;
}

sdpower_status sdpower_search_end(struct sdpower *s, sdpower_cpu cpu)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	if (is_searching(s, pos))
		stop(s, pos);
	return SDPOWER_OK;
}
