/* SPDX-License-Identifier: MIT */
/* Rule D17: asking a cpu to push its running task, and serving such requests. */
#include "driver.h"

/* Requests of a chain that is gone are no longer meant. */
static int holds_requests(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load16(&s->balancers[pos].epoch) == sdpower_i_load16(&s->epochs[pos]);
}

/* The first request that names a position, from a position and slot on; 0 = none. */
static int find_request(const struct sdpower *s, uint32_t queue, uint32_t *requester,
	uint32_t *slot)
{
	for (; *requester < s->forest.cpu_count; (*requester)++, *slot = 0)
		for (; *slot < SDPOWER_I_PUSHES && holds_requests(s, *requester); (*slot)++)
			if (sdpower_i_load16(&s->balancers[*requester].push[*slot]) == queue)
				return 1;
	return 0;
}

/*
 * Writes the request down unless the queue has been asked already or too many are open. Two
 * cpus that ask at the same moment both find it free: then two tasks are pushed, one each.
 */
int sdpower_i_push_ask(struct sdpower *s, struct sdpower_i_driver *d)
{
	uint16_t *push = s->balancers[d->pos].push;
	uint32_t requester = 0, slot = 0;

	if (find_request(s, d->queue, &requester, &slot))
		return 0;
	for (slot = 0; slot < SDPOWER_I_PUSHES; slot++) {
		if (sdpower_i_load16(&push[slot]) != SDPOWER_I_NONE16)
			continue;
		sdpower_i_store16(&push[slot], (uint16_t)d->queue);
		return 1;
	}
	return 0;
}

/* The innermost level of the requester that balances and holds the pushing cpu. */
static int common_level(const struct sdpower_i_drive *w, uint32_t requester, uint32_t *depth,
	uint32_t *tries)
{
	const uint32_t levels = sdpower_i_depth(&w->view, requester);

	if (!sdpower_i_is_active(&w->view, w->d->pos))
		return 0;
	for (*depth = 0; *depth < levels; (*depth)++) {
		const struct sdpower_i_link link = sdpower_i_get_link(&w->view, requester, *depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(&w->view, link.domain);

		if (!(link.flags & SDPOWER_SD_LOAD_BALANCE) ||
				!sdpower_i_runs_hold(&w->view, domain.run, domain.runs, w->d->pos))
			continue;
		*tries = sdpower_i_level_params(&w->view, &domain).cache_nice_tries;
		return 1;
	}
	return 0;
}

void sdpower_i_push_served(struct sdpower_i_drive *w, const struct sdpower_move *move)
{
	struct sdpower_i_driver *d = w->d;
	uint16_t *request = &w->s->balancers[d->requester].push[d->slot];

	sdpower_i_count_push(w->s, d->requester, d->push_depth, move->moved != 0);
	sdpower_i_count_pass(w->s, d->requester, d->push_depth, SDPOWER_CPU_IDLE,
		SDPOWER_PASS_GAINED, move->tasks);
	/* Meanwhile the requester may have asked somebody else. */
	if (sdpower_i_load16(request) == d->pos)
		sdpower_i_store16(request, SDPOWER_I_NONE16);
}

/* A request without a common level (the tree has changed) waits for its owner to forget it. */
int sdpower_i_push_next(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	uint32_t depth, tries;

	for (; find_request(w->s, d->pos, &d->requester, &d->slot); d->slot++) {
		if (!common_level(w, d->requester, &depth, &tries))
			continue;
		w->action->move = (struct sdpower_move){ .struct_size = sizeof(w->action->move),
			.one = 1, .pinned = 1, .cost_ns = sdpower_i_hot_ns(w->s, depth), .move_hot =
				sdpower_i_load(&sdpower_i_pace_at(w->s, d->requester, depth)->failed) > tries };
		(void)sdpower_i_give(w, SDPOWER_BALANCE_PUSH_ONE, d->pos);
		w->action->cpu = w->s->forest.cpu_at[d->requester];
		w->action->depth = d->push_depth = depth;
		return 1;
	}
	return 0;
}
