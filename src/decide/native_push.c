/* SPDX-License-Identifier: MIT */
/*
 * Rule P9: asking a cpu to push under the native rules. One request lies in the record of the
 * cpu that asks; whether it still holds, and which cpu gets the task, is decided anew when it is
 * served, with the pushing cpu as the only candidate. So a request that has become stale moves
 * nothing, and all a move must fulfil holds at the moment it is made.
 */
#include "driver.h"
#include "native.h"

static uint16_t *request_of(const struct sdpower *s, uint32_t pos)
{
	return &s->balancers[pos].push[SDPOWER_I_NATIVE_FROM];
}

/* Requests of a chain that is gone are no longer meant. */
static int asks(const struct sdpower *s, uint32_t requester, uint32_t from)
{
	return sdpower_i_load16(request_of(s, requester)) == from &&
		sdpower_i_load16(&s->balancers[requester].epoch) ==
			sdpower_i_load16(&s->epochs[requester]);
}

static void forget(struct sdpower *s, uint32_t requester)
{
	sdpower_i_store16(request_of(s, requester), SDPOWER_I_NONE16);
	if (!sdpower_i_load(&s->slots[requester].nr))
		(void)sdpower_unclaim(s, s->forest.cpu_at[requester]);
}

/* Changes nothing, without harm, for a cpu about to go idle or claimed by somebody else. */
static void expect_task(struct sdpower *s, uint32_t pos)
{
	const sdpower_status claimed = sdpower_claim(s, s->forest.cpu_at[pos]);

	(void)claimed;
}

/* A request that nobody has served by the asker's next walk was lost on its way. */
void sdpower_i_native_push_cancel(struct sdpower_i_drive *w)
{
	if (sdpower_i_load16(request_of(w->s, w->d->pos)) != SDPOWER_I_NONE16)
		forget(w->s, w->d->pos);
}

/*
 * Writes the request down unless somebody else has asked the same cpu. Who has a task on its way
 * is claimed: neither wake-ups nor other askers of the group count on this cpu any more.
 */
int sdpower_i_native_push_ask(struct sdpower_i_drive *w)
{
	const struct sdpower_i_driver *d = w->d;
	struct sdpower_i_balancer *own = &w->s->balancers[d->pos];

	for (uint32_t pos = 0; pos < w->s->forest.cpu_count; pos++)
		if (pos != d->pos && asks(w->s, pos, d->queue))
			return 0;
	sdpower_i_store16(&own->push[SDPOWER_I_NATIVE_DEPTH], (uint16_t)d->depth);
	sdpower_i_store16(request_of(w->s, d->pos), (uint16_t)d->queue);
	if (d->target == d->pos)
		expect_task(w->s, d->pos);
	return 1;
}

static void only_candidate(const struct sdpower_i_drive *w)
{
	const uint32_t words = sdpower_i_mask_words(w->s), cpu = w->s->forest.cpu_at[w->d->pos];

	for (uint32_t i = 0; i < words; i++)
		w->d->candidates[i] = 0;
	w->d->candidates[cpu / 32u] |= 1u << cpu % 32u;
}

/* Asks the requester's question again; 1 = a task of this cpu is still wanted. */
static int is_wanted(const struct sdpower_i_drive *w, struct sdpower_busiest *answer)
{
	const struct sdpower_i_driver *d = w->d;
	const struct sdpower_busiest_request ask = { .struct_size = sizeof(ask),
		.cpu = w->s->forest.cpu_at[d->requester],
		.depth = sdpower_i_load16(&w->s->balancers[d->requester].push[SDPOWER_I_NATIVE_DEPTH]),
		.idle = sdpower_i_load(&w->s->slots[d->requester].nr) ?
			(uint32_t)SDPOWER_CPU_NOT_IDLE : (uint32_t)SDPOWER_CPU_IDLE,
		.flags = SDPOWER_ASK_IMPATIENT, .candidates = d->candidates,
		.candidate_words = sdpower_i_mask_words(w->s) };

	return !sdpower_find_busiest_group(w->s, &ask, answer) &&
		answer->kind != SDPOWER_PULL_NONE && answer->kind != SDPOWER_PULL_LOAD &&
		answer->from == w->s->forest.cpu_at[d->pos];
}

/* Counted where it arrives, as its owner is the one who takes part. */
void sdpower_i_native_push_served(struct sdpower_i_drive *w, const struct sdpower_move *move)
{
	struct sdpower_i_driver *d = w->d;

	sdpower_i_count_push(w->s, d->target, d->push_depth, move->tasks != 0);
	sdpower_i_count_pass(w->s, d->target, d->push_depth, SDPOWER_CPU_IDLE,
		SDPOWER_PASS_GAINED, move->tasks);
	forget(w->s, d->requester);
	d->requester++;
}

static int give_push(struct sdpower_i_drive *w, const struct sdpower_busiest *answer)
{
	struct sdpower_i_driver *d = w->d;
	uint32_t levels;

	d->target = sdpower_i_position(w->s, answer->target);
	levels = sdpower_i_depth(&w->view, d->target);
	d->push_depth = sdpower_i_load16(&w->s->balancers[d->requester].push[SDPOWER_I_NATIVE_DEPTH]);
	d->push_depth = d->push_depth < levels ? d->push_depth : levels ? levels - 1 : 0;
	w->action->move = (struct sdpower_move){ .struct_size = sizeof(w->action->move), .one = 1,
		.native = 1, .most = UINT64_MAX, .util_most = answer->util_most, .pinned = 1,
		.move_hot = 1, .cost_ns = w->s->migration_cost_ns };
	(void)sdpower_i_give(w, SDPOWER_BALANCE_PUSH_ONE, d->pos);
	w->action->cpu = answer->target;
	w->action->depth = d->push_depth;
	return 1;
}

int sdpower_i_native_push_next(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;

	only_candidate(w);
	for (; d->requester < w->s->forest.cpu_count; d->requester++) {
		struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

		if (!asks(w->s, d->requester, d->pos))
			continue;
		if (is_wanted(w, &answer))
			return give_push(w, &answer);
		forget(w->s, d->requester);
	}
	return 0;
}
