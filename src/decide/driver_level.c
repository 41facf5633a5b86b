/* SPDX-License-Identifier: MIT */
/* Balancing one level: searches are answered here, everything else by the host. */
#include "driver.h"

static struct sdpower_i_pace *present_pace(const struct sdpower_i_drive *w)
{
	return sdpower_i_pace_at(w->s, w->d->pos, w->d->depth);
}

void sdpower_i_count_level(const struct sdpower_i_drive *w, enum sdpower_pass_counter counter,
	uint32_t more)
{
	const struct sdpower_i_driver *d = w->d;

	sdpower_i_count_pass(w->s, d->pos, d->depth, d->climb.idle, counter, more);
}

void sdpower_i_drop_queue(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	const uint32_t words = sdpower_i_mask_words(w->s);
	const uint32_t cpu = w->s->forest.cpu_at[d->queue];

	for (uint32_t i = 0; !d->dropped && i < words; i++)
		d->candidates[i] = UINT32_MAX;
	d->dropped = 1;
	d->candidates[cpu / 32u] &= ~(1u << cpu % 32u);
}

static void remember_nominee(struct sdpower_i_drive *w, const struct sdpower_busiest *answer)
{
	if (answer->nominee != SDPOWER_CPU_NONE)
		(void)sdpower_nominate(w->s, answer->nominee);
}

static void count_search(const struct sdpower_i_drive *w, const struct sdpower_busiest *answer)
{
	if (answer->balance && answer->group == SDPOWER_ID_NONE)
		sdpower_i_count_level(w, SDPOWER_PASS_NO_GROUP, 1);
	else if (answer->balance && w->d->queue == SDPOWER_I_NONE16)
		sdpower_i_count_level(w, SDPOWER_PASS_NO_QUEUE, 1);
	else if (answer->balance)
		sdpower_i_count_level(w, SDPOWER_PASS_IMBALANCE, (uint32_t)answer->imbalance);
}

/* D5 within the group that was found; leaves the queue NONE16 when there is none. */
static void find_queue(struct sdpower_i_drive *w, const struct sdpower_busiest *answer)
{
	struct sdpower_i_driver *d = w->d;
	struct sdpower_queue_request ask = { .struct_size = sizeof(ask), .domain = answer->domain,
		.group = answer->group, .imbalance = answer->imbalance,
		.candidates = d->dropped ? d->candidates : NULL,
		.candidate_words = sdpower_i_mask_words(w->s) };
	struct sdpower_pick pick;

	if (answer->group == SDPOWER_ID_NONE || sdpower_find_busiest_queue(w->s, &ask, &pick))
		return;
	d->queue = sdpower_i_position(w->s, pick.cpu);
	d->amount = answer->imbalance;
}

/* D3 and D5; the next attempt step. A tree replaced meanwhile reads as balanced. */
static enum sdpower_i_attempt_step search(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	struct sdpower_busiest_request ask = { .struct_size = sizeof(ask),
		.cpu = w->s->forest.cpu_at[d->pos], .depth = d->depth, .idle = d->climb.idle,
		.flags = SDPOWER_ASK_WHO_BALANCES, .sd_idle = d->attempt.sd_idle,
		.candidates = d->dropped ? d->candidates : NULL,
		.candidate_words = sdpower_i_mask_words(w->s) };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };
	struct sdpower_i_attempt_found found = { .balancer = 1, .sd_idle = d->attempt.sd_idle };

	d->queue = SDPOWER_I_NONE16;
	if (sdpower_find_busiest_group(w->s, &ask, &answer) == SDPOWER_OK &&
			!(answer.reason & SDPOWER_REASON_SWAPPED)) {
		remember_nominee(w, &answer);
		find_queue(w, &answer);
		count_search(w, &answer);
		found.balancer = answer.balance;
		found.sd_idle = answer.sd_idle;
	}
	found.queue = d->queue != SDPOWER_I_NONE16;
	found.nr = found.queue ? sdpower_i_load(&w->s->slots[d->queue].nr) : 0;
	return sdpower_i_attempt_searched(&d->attempt, present_pace(w), &found);
}

static int give_pull(struct sdpower_i_drive *w)
{
	const struct sdpower_i_pace *pace = present_pace(w);

	w->action->move = (struct sdpower_move){ .struct_size = sizeof(w->action->move),
		.amount = w->d->amount, .pinned = 1, .move_hot = pace->failed > w->d->attempt.level.tries,
		.cost_ns = sdpower_i_hot_ns(w->s, w->d->depth) };
	return sdpower_i_give(w, SDPOWER_BALANCE_PULL, w->d->queue);
}

/* The high half of a native record is not the climb's. */
void sdpower_i_end_level(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	struct sdpower_i_pace *stored = present_pace(w);
	struct sdpower_i_pace pace = sdpower_i_pace_of(w);

	sdpower_i_count_level(w, SDPOWER_PASS_BALANCED, d->attempt.balanced);
	sdpower_i_count_level(w, SDPOWER_PASS_FAILED, d->attempt.failed);
	sdpower_i_climb_called(&d->climb, &pace, d->attempt.result, d->attempt.balancer);
	sdpower_i_climb_leave(&d->climb, &w->ticks, &pace);
	stored->last = sdpower_i_native(w->s) ?
		(stored->last & ~(uint64_t)UINT32_MAX) | (uint32_t)pace.last : pace.last;
}

/* From one step to the next until the host has to act (1) or the level is done (0). */
static int drive(struct sdpower_i_drive *w, enum sdpower_i_attempt_step step)
{
	struct sdpower_i_driver *d = w->d;

	for (;;) {
		switch (step) {
		case SDPOWER_I_ATTEMPT_SEARCH:
			if (d->queue != SDPOWER_I_NONE16)
				sdpower_i_drop_queue(w);
			step = search(w);
			break;
		case SDPOWER_I_ATTEMPT_MOVE:
			if (d->amount)
				return give_pull(w);
			step = sdpower_i_attempt_moved(&d->attempt, present_pace(w), 0,
				SDPOWER_I_PINNED_SAME);
			break;
		case SDPOWER_I_ATTEMPT_RUNNING:
			return sdpower_i_give(w, SDPOWER_BALANCE_MAY_RUN, d->queue);
		case SDPOWER_I_ATTEMPT_KICK:
			if (sdpower_i_push_ask(w->s, d))
				return sdpower_i_give(w, SDPOWER_BALANCE_KICK, d->queue);
			step = sdpower_i_attempt_kicked(&d->attempt, present_pace(w), 0);
			break;
		default:
			sdpower_i_end_level(w);
			return 0;
		}
	}
}

int sdpower_i_level_start(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	const struct sdpower_i_link link = sdpower_i_get_link(&w->view, d->pos, d->depth);
	const struct sdpower_i_domain domain = sdpower_i_get_domain(&w->view, link.domain);
	const struct sdpower_i_params p = sdpower_i_level_params(&w->view, &domain);
	const struct sdpower_i_attempt_level level = { .flags = link.flags,
		.saves_above = d->depth + 1 < d->levels &&
			sdpower_i_get_link(&w->view, d->pos, d->depth + 1).flags & SDPOWER_SD_POWERSAVINGS,
		.min_interval = p.min_interval, .max_interval = p.max_interval,
		.tries = p.cache_nice_tries,
		.wakeup_level = sdpower_i_wakeup_level(w->s, &w->view) };

	d->queue = SDPOWER_I_NONE16;
	d->dropped = 0;
	sdpower_i_count_level(w, SDPOWER_PASS_PASSES, 1);
	if (sdpower_i_native(w->s)) {
		d->attempt.level = level;
		return sdpower_i_native_level_start(w);
	}
	return drive(w, sdpower_i_attempt_start(&d->attempt, &level, d->climb.idle));
}

int sdpower_i_level_resume(struct sdpower_i_drive *w, const struct sdpower_balance_outcome *o)
{
	struct sdpower_i_attempt *a = &w->d->attempt;
	struct sdpower_i_pace *pace = present_pace(w);

	if (sdpower_i_native(w->s))
		return sdpower_i_native_level_resume(w, o);
	switch (w->d->pending) {
	case SDPOWER_BALANCE_PULL:
		sdpower_i_count_level(w, SDPOWER_PASS_GAINED, o->move.tasks);
		sdpower_i_count_level(w, SDPOWER_PASS_HOT_GAINED, o->move.hot_tasks);
		return drive(w, sdpower_i_attempt_moved(a, pace, o->move.moved != 0,
			o->move.pinned && !o->move.moved ? SDPOWER_I_PINNED_ALL : SDPOWER_I_PINNED_NO));
	case SDPOWER_BALANCE_MAY_RUN:
		return drive(w, sdpower_i_attempt_running(a, pace, o->done != 0));
	default:
		return drive(w, sdpower_i_attempt_kicked(a, pace, 1));
	}
}
