/* SPDX-License-Identifier: MIT */
/*
 * Rules P8 and P10: balancing a level once under the native rules. Work that waits is pulled,
 * work that runs is pushed at once; who may not come is dropped, and the search goes on.
 */
#include "driver.h"
#include "native.h"

#define MICRO UINT64_C(1000000)
/* Failures beyond this say no more than this. */
#define MOST_FAILURES 255u

static struct sdpower_i_pace *present_pace(const struct sdpower_i_drive *w)
{
	return sdpower_i_pace_at(w->s, w->d->pos, w->d->depth);
}

static uint32_t since(const struct sdpower_i_drive *w, const struct sdpower_i_pace *pace)
{
	return (uint32_t)w->d->now - sdpower_i_pace_stamp(pace);
}

static uint64_t ticks_of_us(const struct sdpower *s, uint32_t us)
{
	return ((uint64_t)us * s->hz + MICRO - 1) / MICRO;
}

/* Still spreading, or waiting no longer. */
static uint32_t mode_flags(const struct sdpower_i_drive *w)
{
	const struct sdpower_i_pace *pace = present_pace(w);
	const struct sdpower_i_tuning *t = &w->s->tuning;

	if (pace->failed & SDPOWER_I_PACE_SPREADING &&
			since(w, pace) < ticks_of_us(w->s, sdpower_i_load(&t->dwell_us)))
		return SDPOWER_ASK_SPREADING;
	if (pace->failed & SDPOWER_I_PACE_WAITING &&
			since(w, pace) >= ticks_of_us(w->s, sdpower_i_load(&t->latency_bound_us)))
		return SDPOWER_ASK_IMPATIENT;
	return 0;
}

static void set_mode(const struct sdpower_i_drive *w, uint32_t mode, int anew)
{
	struct sdpower_i_pace *pace = present_pace(w);

	if (anew)
		sdpower_i_pace_set_stamp(pace, (uint32_t)w->d->now);
	sdpower_i_store(&pace->failed, (pace->failed & MOST_FAILURES) | mode);
}

/* The moment that counts: over-utilisation seen last, or work that waits seen first. */
static void note_mode(const struct sdpower_i_drive *w, const struct sdpower_busiest *answer,
	uint32_t flags)
{
	const uint32_t before = present_pace(w)->failed & ~MOST_FAILURES;

	if (answer->spreading)
		set_mode(w, SDPOWER_I_PACE_SPREADING, 1);
	else if (flags & SDPOWER_ASK_SPREADING)
		return;
	else if (answer->waiting)
		set_mode(w, SDPOWER_I_PACE_WAITING, before != SDPOWER_I_PACE_WAITING);
	else if (!(flags & SDPOWER_ASK_IMPATIENT))
		set_mode(w, 0, 0);
}

static void search(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	const uint32_t flags = mode_flags(w);
	const struct sdpower_busiest_request ask = { .struct_size = sizeof(ask),
		.cpu = w->s->forest.cpu_at[d->pos], .depth = d->depth, .idle = d->climb.idle,
		.flags = SDPOWER_ASK_WHO_BALANCES | flags,
		.candidates = d->dropped ? d->candidates : NULL,
		.candidate_words = sdpower_i_mask_words(w->s) };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	d->queue = SDPOWER_I_NONE16;
	if (sdpower_find_busiest_group(w->s, &ask, &answer) || answer.reason & SDPOWER_REASON_SWAPPED)
		return;
	note_mode(w, &answer, flags);
	d->attempt.balancer = answer.balance;
	if (answer.kind == SDPOWER_PULL_NONE) {
		sdpower_i_count_level(w, SDPOWER_PASS_NO_GROUP, answer.balance);
		return;
	}
	d->queue = sdpower_i_position(w->s, answer.from);
	d->target = sdpower_i_position(w->s, answer.target);
	d->pull = answer.kind;
	d->amount = answer.imbalance;
	d->most = answer.most;
	d->util_most = answer.util_most;
	sdpower_i_count_level(w, SDPOWER_PASS_IMBALANCE, (uint32_t)answer.imbalance);
}

static uint32_t failures(const struct sdpower_i_drive *w)
{
	return present_pace(w)->failed & MOST_FAILURES;
}

static void set_failures(const struct sdpower_i_drive *w, uint32_t count)
{
	struct sdpower_i_pace *pace = present_pace(w);

	sdpower_i_store(&pace->failed, (pace->failed & ~MOST_FAILURES) |
		(count < MOST_FAILURES ? count : MOST_FAILURES));
}

/* What waits comes even if its cache is warm: waiting cools it too, and an idle cpu is worse. */
static int give_pull(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;

	w->action->move = (struct sdpower_move){ .struct_size = sizeof(w->action->move), .native = 1,
		.amount = d->amount, .most = d->most, .util_most = d->util_most, .pinned = 1,
		.move_hot = d->pull == SDPOWER_PULL_TASK || failures(w) > d->attempt.level.tries,
		.cost_ns = sdpower_i_hot_ns(w->s, d->depth) };
	return sdpower_i_give(w, SDPOWER_BALANCE_PULL, d->queue);
}

/* While work is left waiting, the level is looked at twice in the time it may wait. */
static uint32_t patient_interval(const struct sdpower_i_drive *w)
{
	const uint32_t ms = sdpower_i_load(&w->s->tuning.latency_bound_us) / 2000u;
	const uint32_t longest = w->d->attempt.level.max_interval;

	return ms < 1 ? 1 : ms < longest ? ms : longest;
}

/* Where something happens, soon again; where nothing does, ever less often. */
static void set_interval(const struct sdpower_i_drive *w, int active)
{
	const uint32_t longest = w->d->attempt.level.max_interval;
	struct sdpower_i_pace *pace = present_pace(w);

	if (pace->failed & SDPOWER_I_PACE_WAITING)
		pace->interval = patient_interval(w);
	else if (active || !pace->interval)
		pace->interval = SDPOWER_I_NATIVE_INTERVAL;
	else
		pace->interval = 2 * pace->interval < longest ? 2 * pace->interval : longest;
}

/* A cpu that got nothing and asked nobody to push goes on to the next level, busy siblings or not. */
static int end(struct sdpower_i_drive *w, int moved, int failed)
{
	struct sdpower_i_attempt *a = &w->d->attempt;

	a->result = moved || w->d->pending == SDPOWER_BALANCE_KICK;
	a->failed = (uint32_t)failed;
	a->balanced = !moved && !failed;
	if (moved || a->balanced)
		set_failures(w, 0);
	if (w->d->climb.idle != SDPOWER_CPU_NEWLY_IDLE || a->result || !a->balancer)
		set_interval(w, a->result || !a->balancer);
	/* Who has no work goes on looking for some, who has some leaves it to the cpu in charge. */
	a->balancer |= w->d->climb.idle != SDPOWER_CPU_NOT_IDLE;
	sdpower_i_end_level(w);
	return 0;
}

/* 1 = the host has to act, 0 = somebody else has asked this queue for a push already. */
static int ask_push(struct sdpower_i_drive *w)
{
	return sdpower_i_native_push_ask(w) && sdpower_i_give(w, SDPOWER_BALANCE_KICK, w->d->queue);
}

/* P6 may send it to another cpu than the one that asks, even from that one. */
static int ask_running(struct sdpower_i_drive *w)
{
	const struct sdpower_i_driver *d = w->d;

	(void)sdpower_i_give(w, SDPOWER_BALANCE_MAY_RUN, d->queue);
	if (d->target == d->pos)
		return 1;
	w->action->cpu = w->s->forest.cpu_at[d->target];
	w->action->depth = sdpower_i_native_common_depth(w, d->target, d->queue);
	return 1;
}

static int is_pulled(const struct sdpower_i_drive *w)
{
	return w->d->pull == SDPOWER_PULL_TASK || w->d->pull == SDPOWER_PULL_LOAD;
}

/* Every turn drops a cpu from the candidates. */
static int go_on(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;

	for (;;) {
		if (d->queue != SDPOWER_I_NONE16)
			sdpower_i_drop_queue(w);
		search(w);
		if (d->queue == SDPOWER_I_NONE16)
			return end(w, 0, 0);
		if (is_pulled(w))
			return give_pull(w);
		if (sdpower_i_native_push_is_open(w))
			return end(w, 0, 1);
		if (sdpower_i_load(&w->s->slots[d->queue].nr) == 1)
			return ask_running(w);
		if (ask_push(w))
			return 1;
	}
}

static int pulled(struct sdpower_i_drive *w, const struct sdpower_move *move)
{
	sdpower_i_count_level(w, SDPOWER_PASS_GAINED, move->tasks);
	sdpower_i_count_level(w, SDPOWER_PASS_HOT_GAINED, move->hot_tasks);
	if (move->tasks)
		return end(w, 1, 0);
	if (move->pinned)
		return go_on(w);
	if (w->d->pull == SDPOWER_PULL_TASK)
		return ask_running(w);
	set_failures(w, failures(w) + 1);
	return end(w, 0, 1);
}

int sdpower_i_native_level_start(struct sdpower_i_drive *w)
{
	w->d->attempt.balancer = 1;
	return go_on(w);
}

int sdpower_i_native_level_resume(struct sdpower_i_drive *w,
	const struct sdpower_balance_outcome *o)
{
	switch (w->d->pending) {
	case SDPOWER_BALANCE_PULL:
		return pulled(w, &o->move);
	case SDPOWER_BALANCE_MAY_RUN:
		return o->done && ask_push(w) ? 1 : go_on(w);
	default:
		return end(w, 0, 1);
	}
}
