/* SPDX-License-Identifier: MIT */
/* The slot lines and the question of a snapshot. */
#include "snapshot.h"

void sdpower_i_read_slot(struct sdpower_i_lines *l, struct sdpower_cpu_state *c)
{
	sdpower_i_lines_word(l, "slot");
	c->nr = (uint32_t)sdpower_i_lines_number(l, SDPOWER_NR_MAX);
	c->load = (uint32_t)sdpower_i_lines_number(l, SDPOWER_LOAD_MAX);
	c->activity = (uint32_t)sdpower_i_lines_number(l, SDPOWER_CPU_IS_SEARCHING);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		c->cpu_load[k] = (uint32_t)sdpower_i_lines_number(l, SDPOWER_LOAD_MAX);
	c->avg_idle_ns = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	c->idle_since_ns = sdpower_i_lines_number(l, UINT64_MAX);
	c->clamped = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	c->outside_util = (uint32_t)sdpower_i_lines_number(l, SDPOWER_SCALE);
	c->outside_capacity = (uint32_t)sdpower_i_lines_number(l, SDPOWER_SCALE);
	c->util = sdpower_i_lines_id(l, SDPOWER_LOAD_MAX);
	c->has_util = c->util != SDPOWER_ID_NONE;
	c->util = c->has_util ? c->util : 0;
	c->reserved = 0;
	sdpower_i_lines_end(l);
}

/* A word takes two bytes at least: what cannot be in the text needs no memory. */
static uint32_t count_that_fits(struct sdpower_i_lines *l, uint32_t count)
{
	if (!l->status && count != SDPOWER_ID_NONE && count > (size_t)(l->end - l->at) / 2)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "more numbers announced than there are");
	return l->status ? 0 : count;
}

static uint32_t *read_numbers(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	uint32_t count)
{
	uint32_t *to = sdpower_i_arena_take(arena, (size_t)count * sizeof(*to));

	for (uint32_t i = 0; i < count && !l->status; i++) {
		const uint32_t value = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);

		if (to)
			to[i] = value;
	}
	return to;
}

static const uint32_t *read_mask(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	uint32_t *words)
{
	const uint32_t count = count_that_fits(l, sdpower_i_lines_id(l, UINT32_MAX - 1));

	*words = 0;
	if (count == SDPOWER_ID_NONE)
		return NULL;
	*words = count;
	/* A mask of no words is a mask of no cpus, not "all": it needs a place of its own. */
	if (!count)
		return sdpower_i_arena_take(arena, sizeof(uint32_t));
	return read_numbers(l, arena, count);
}

static void read_busiest(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_busiest_request *q)
{
	q->struct_size = sizeof(*q);
	q->cpu = sdpower_i_lines_id(l, UINT32_MAX - 1);
	q->depth = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	q->idle = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	q->flags = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	q->sd_idle = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	q->candidates = read_mask(l, arena, &q->candidate_words);
	q->group_power_count = count_that_fits(l,
		(uint32_t)sdpower_i_lines_number(l, UINT32_MAX - 1));
	if (q->group_power_count)
		q->group_power = read_numbers(l, arena, q->group_power_count);
}

static void read_wake(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_wake *w)
{
	w->struct_size = sizeof(*w);
	w->waker = sdpower_i_lines_id(l, UINT32_MAX - 1);
	w->prev = sdpower_i_lines_id(l, UINT32_MAX - 1);
	w->flags = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->weight = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->waker_weight = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->waker_overlap_ns = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->task_overlap_ns = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->util = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	w->since_ran_ns = sdpower_i_lines_number(l, UINT64_MAX);
	w->affinity = read_mask(l, arena, &w->affinity_words);
}

static void read_place(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_placement *p)
{
	p->struct_size = sizeof(*p);
	p->cpu = sdpower_i_lines_id(l, UINT32_MAX - 1);
	p->depth = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	p->flag = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	p->util = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	p->affinity = read_mask(l, arena, &p->affinity_words);
}

/* Follows "ask", and a blank, by one of four words. */
static int next_is(struct sdpower_i_lines *l, const char *word)
{
	struct sdpower_i_lines ahead = *l;

	if (l->status || ahead.at == ahead.end || *ahead.at != ' ')
		return 0;
	ahead.at++;
	if (!sdpower_i_lines_is(&ahead, word))
		return 0;
	sdpower_i_lines_word(l, word);
	return 1;
}

void sdpower_i_read_question(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_question *q)
{
	q->struct_size = sizeof(*q);
	sdpower_i_lines_word(l, "ask");
	if (next_is(l, "busiest")) {
		q->kind = SDPOWER_QUESTION_BUSIEST;
		read_busiest(l, arena, &q->busiest);
	} else if (next_is(l, "wake")) {
		q->kind = SDPOWER_QUESTION_WAKE;
		read_wake(l, arena, &q->wake);
	} else if (next_is(l, "place")) {
		q->kind = SDPOWER_QUESTION_PLACE;
		read_place(l, arena, &q->place);
	} else {
		sdpower_i_lines_word(l, "none");
	}
	sdpower_i_lines_end(l);
}
