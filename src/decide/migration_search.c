/* SPDX-License-Identifier: MIT */
/* Migration costs: the search for the size that costs most to move (rules M3, M4). */
#include "migration.h"

/* The range is half to twice the largest cache, or up to twice 5 MiB if that is unknown. */
#define SCOPE 2u
#define SMALLEST UINT64_C(65536)
#define USUAL_CACHE UINT64_C(5242880)
/* Percent: this far past the best size, and this far below the best cost, the search ends. */
#define PAST_SIZE 130u
#define BELOW_COST 130u
#define NO_MEMORY_NS UINT64_C(1000000)

static int is_legacy(const struct sdpower_migration_search *s)
{
	return s->mode == SDPOWER_MIGRATION_LEGACY;
}

/* Sizes and their products have 32 bits in the original. */
static uint64_t sized(const struct sdpower_migration_search *s, uint64_t value)
{
	return is_legacy(s) ? (uint32_t)value : value;
}

static uint64_t at_least_smallest(uint64_t size)
{
	return size > SMALLEST ? size : SMALLEST;
}

static void finish(struct sdpower_migration_search *s, uint32_t end, uint64_t result_ns)
{
	s->step = SDPOWER_MIGRATION_DONE;
	s->end = end;
	s->result_ns = result_ns;
}

/* Twice the worst cost must have passed before a task is cold. */
static void conclude(struct sdpower_migration_search *s, uint32_t end)
{
	finish(s, end, 2 * s->max_cost_ns * s->factor / SDPOWER_MIGRATION_FACTOR_ONE);
}

static void enter_size(struct sdpower_migration_search *s, uint64_t size)
{
	s->size = size;
	if (size > s->stop_size)
		conclude(s, SDPOWER_MIGRATION_END_RANGE);
	else if (s->sizes >= SDPOWER_MIGRATION_SIZES_MAX)
		conclude(s, SDPOWER_MIGRATION_END_ENDLESS);
}

static sdpower_status check_rules(const struct sdpower_migration_rules *rules)
{
	sdpower_status status;

	if (!rules || rules->struct_size != sizeof(*rules) || rules->reserved)
		return SDPOWER_EINVAL;
	status = sdpower_i_migration_search_mode(rules->mode);
	if (status)
		return status;
	if (rules->mode == SDPOWER_MIGRATION_LEGACY)
		return rules->max_cache_size > UINT32_MAX ? SDPOWER_ERANGE : SDPOWER_OK;
	return rules->max_cache_size > SDPOWER_MIGRATION_MOST ||
		rules->factor > SDPOWER_MIGRATION_FACTOR_MAX ? SDPOWER_ERANGE : SDPOWER_OK;
}

sdpower_status sdpower_migration_search_begin(const struct sdpower_migration_rules *rules,
	struct sdpower_migration_search *search)
{
	const sdpower_status status = check_rules(rules);
	uint64_t cache;

	if (status)
		return status;
	if (!search || search->struct_size != sizeof(*search))
		return SDPOWER_EINVAL;
	*search = (struct sdpower_migration_search) { .struct_size = sizeof(*search),
		.step = SDPOWER_MIGRATION_MEASURE, .mode = rules->mode, .factor = rules->factor };
	cache = rules->max_cache_size;
	search->stop_size = at_least_smallest(sized(search, (cache ? cache : USUAL_CACHE) * SCOPE));
	enter_size(search, at_least_smallest(cache / SCOPE));
	return SDPOWER_OK;
}

/* The original takes the absolute value of the lower 32 bits, and their minimum has none. */
static uint64_t difference(const struct sdpower_migration_search *s, int64_t cost_ns)
{
	const uint64_t up = (uint64_t)cost_ns - (uint64_t)s->previous_ns;
	const uint32_t low = (uint32_t)up;

	if (!is_legacy(s))
		return cost_ns < s->previous_ns ? 0 - up : up;
	if (low == UINT32_C(0x80000000))
		return UINT64_C(0xffffffff80000000);
	return low >> 31 ? 0 - low : low;
}

/* What the cost may still be: with the fluctuation on top. Negative sums are huge in legacy. */
static int has_fallen(const struct sdpower_migration_search *s, int64_t cost_ns)
{
	const uint64_t sum = (uint64_t)cost_ns + s->fluctuation_ns;

	if (!sum || (!is_legacy(s) && sum >> 63))
		return 1;
	return s->max_cost_ns * 100 > sum * BELOW_COST;
}

static int is_past_the_best(const struct sdpower_migration_search *s)
{
	return s->found_size && sized(s, s->size * 100) > sized(s, s->found_size * PAST_SIZE);
}

static int can_go_on(const struct sdpower_migration_search *s)
{
	return s && s->struct_size == sizeof(*s) && s->step == SDPOWER_MIGRATION_MEASURE &&
		!sdpower_i_migration_search_mode(s->mode);
}

sdpower_status sdpower_migration_search_next(struct sdpower_migration_search *search,
	int64_t cost_ns)
{
	const int64_t most = (int64_t)SDPOWER_MIGRATION_MOST;

	if (!can_go_on(search))
		return SDPOWER_EINVAL;
	if (!is_legacy(search) && (cost_ns > most || cost_ns < -most))
		return SDPOWER_ERANGE;
	search->sizes++;
	if (cost_ns > 0 && (uint64_t)cost_ns > search->max_cost_ns) {
		search->max_cost_ns = (uint64_t)cost_ns;
		search->found_size = search->size;
	}
	search->fluctuation_ns = (search->fluctuation_ns + difference(search, cost_ns)) / 2;
	search->previous_ns = cost_ns;
	if (is_past_the_best(search) && has_fallen(search, cost_ns))
		conclude(search, SDPOWER_MIGRATION_END_EARLY);
	else
		enter_size(search, sized(search, search->size * 10) / 9);
	return SDPOWER_OK;
}

sdpower_status sdpower_migration_search_give_up(struct sdpower_migration_search *search,
	uint32_t end)
{
	if (!can_go_on(search))
		return SDPOWER_EINVAL;
	if (end == SDPOWER_MIGRATION_END_NO_MEMORY)
		finish(search, end, NO_MEMORY_NS);
	else if (end == SDPOWER_MIGRATION_END_OFFLINE)
		finish(search, end, 0);
	else
		return SDPOWER_EINVAL;
	return SDPOWER_OK;
}
