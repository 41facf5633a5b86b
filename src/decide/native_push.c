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

static uint32_t terms_of(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load16(&s->balancers[pos].push[SDPOWER_I_NATIVE_TERMS]);
}

static uint32_t asked_depth(const struct sdpower *s, uint32_t requester)
{
	return terms_of(s, requester) & ~SDPOWER_I_NATIVE_CLAIMED;
}

/* A claim of somebody else is left alone: that cpu is woken anyway. */
static void forget(struct sdpower *s, uint32_t requester)
{
	sdpower_i_store16(request_of(s, requester), SDPOWER_I_NONE16);
	if (terms_of(s, requester) & SDPOWER_I_NATIVE_CLAIMED)
		(void)sdpower_unclaim(s, s->forest.cpu_at[requester]);
}

/* The claim, or nothing for a cpu about to go idle or claimed by somebody else. */
static uint32_t expect_task(struct sdpower *s, uint32_t pos)
{
	return sdpower_claim(s, s->forest.cpu_at[pos]) == SDPOWER_OK ? SDPOWER_I_NATIVE_CLAIMED : 0u;
}

int sdpower_i_native_push_is_open(const struct sdpower_i_drive *w)
{
	return sdpower_i_load16(request_of(w->s, w->d->pos)) != SDPOWER_I_NONE16;
}

/* A request that nobody has served by the asker's next walk was lost on its way. */
void sdpower_i_native_push_cancel(const struct sdpower_i_drive *w)
{
	if (sdpower_i_native_push_is_open(w))
		forget(w->s, w->d->pos);
}

/*
 * Writes the request down unless an inner level has one open or somebody else has asked the same
 * cpu. Who has a task on its way
 * is claimed: neither wake-ups nor other askers of the group count on this cpu any more.
 */
int sdpower_i_native_push_ask(struct sdpower_i_drive *w)
{
	const struct sdpower_i_driver *d = w->d;
	struct sdpower_i_balancer *own = &w->s->balancers[d->pos];
	uint32_t terms = d->depth;

	if (sdpower_i_native_push_is_open(w))
		return 0;
	for (uint32_t pos = 0; pos < w->s->forest.cpu_count; pos++)
		if (pos != d->pos && asks(w->s, pos, d->queue))
			return 0;
	if (d->target == d->pos)
		terms |= expect_task(w->s, d->pos);
	sdpower_i_store16(&own->push[SDPOWER_I_NATIVE_TERMS], (uint16_t)terms);
	sdpower_i_store16(request_of(w->s, d->pos), (uint16_t)d->queue);
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
		.depth = asked_depth(w->s, d->requester),
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
	/* Meanwhile the requester may have asked somebody else. */
	if (asks(w->s, d->requester, d->pos))
		forget(w->s, d->requester);
	d->requester++;
}

/* The innermost level of a receiver that holds the giving cpu; chains may differ in length. */
uint32_t sdpower_i_native_common_depth(const struct sdpower_i_drive *w, uint32_t target,
	uint32_t from)
{
	const uint32_t levels = sdpower_i_depth(&w->view, target);

	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(&w->view, target, depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(&w->view, link.domain);

		if (sdpower_i_runs_hold(&w->view, domain.run, domain.runs, from))
			return depth;
	}
	return levels ? levels - 1u : 0;
}

static int give_push(struct sdpower_i_drive *w, const struct sdpower_busiest *answer)
{
	struct sdpower_i_driver *d = w->d;

	d->target = sdpower_i_position(w->s, answer->target);
	d->push_depth = sdpower_i_native_common_depth(w, d->target, d->pos);
	w->action->move = (struct sdpower_move){ .struct_size = sizeof(w->action->move), .one = 1,
		.native = 1, .most = UINT64_MAX, .util_most = answer->util_most, .pinned = 1,
		.move_hot = 1, .cost_ns = sdpower_i_hot_ns(w->s, d->push_depth) };
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
