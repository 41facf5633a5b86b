/* SPDX-License-Identifier: MIT */
/* What two threads do on their cpus: fingerprints and rounds of walks, by turns. */
#include <time.h>
#include "calibrate_turns.h"
#include "../port.h"

/* Waits look at the clock after so many looks at the word. */
#define SPINS 1024u
/* Ways of the ball for one sign: 3 to 15 us on the machines known. */
#define TRIPS 50u
/* One way through a shared cache takes 24 to 60 ns, any other 80 to 180: what a virtual machine
 * says of its caches need not be so. */
#define FAR_PS 70000u
#define HUGE_PAGE ((size_t)2 << 20)
#define LINE 64u
/* Of the fingerprint: a change by more than half is another way. */
#define MOVED_NUM 3u
#define MOVED_DEN 2u
/* A ball this many times slower was not on its way but waited for a cpu. */
#define STALLED 16u
/* Four walks, each fetching from another cache what the quickest one had in its own. */
#define HELD_UP 64u

/* What the first side asks of the second. */
enum order {
	PING,
	WALK,
	QUIT
};

/* The first side's own. */
struct lead {
	struct sdpower_i_turns *t;
	uint32_t walks;     /* asked for */
	uint32_t buffer;    /* which memory there is */
	uint64_t used_ns;   /* by rounds that count; who waits for a cpu uses nothing */
	uint32_t dropped, moved, rounds;
};

int sdpower_i_turns_wait(struct sdpower_i_turns *t, pthread_cond_t *condition, uint64_t time_ns)
{
	const struct timespec until = { .tv_sec = (time_t)(time_ns / 1000000000u),
		.tv_nsec = (long)(time_ns % 1000000000u) };

	return pthread_cond_timedwait(condition, &t->lock, &until);
}

void sdpower_i_turns_stop(struct sdpower_i_turns *t)
{
	pthread_mutex_lock(&t->lock);
	sdpower_i_store_release(&t->stop, 1);
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

/* Gives up for both sides. */
static int give_up(struct sdpower_i_turns *t)
{
	sdpower_i_turns_stop(t);
	return 0;
}

/* Waits asleep until a count is reached: 1, or 0 when it is time to give up. */
static int wait_turn(struct sdpower_i_turns *t, const uint32_t *count, uint32_t value)
{
	int error = 0, is_there;

	pthread_mutex_lock(&t->lock);
	while (*count != value && !error && !sdpower_i_load(&t->stop))
		error = sdpower_i_turns_wait(t, &t->moved, t->pair.deadline_ns);
	is_there = *count == value;
	pthread_mutex_unlock(&t->lock);
	return is_there ? 1 : give_up(t);
}

static void count_up(struct sdpower_i_turns *t, uint32_t *count)
{
	pthread_mutex_lock(&t->lock);
	++*count;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

/* Waits awake until the other side has stored it: 1, or 0 when it is time to give up. */
static int wait_ball(struct sdpower_i_turns *t, uint32_t value)
{
	for (;;) {
		for (uint32_t i = 0; i < SPINS; i++)
			if (sdpower_i_load_acquire(&t->ball) == value)
				return 1;
		if (sdpower_i_load_acquire(&t->stop))
			return 0;
		if (sdpower_i_now() >= t->pair.deadline_ns)
			return give_up(t);
	}
}

/* One side of the play: stores every second number, from `first` on. */
static int play(struct sdpower_i_turns *t, uint32_t first)
{
	for (uint32_t ball = first; ball < 2 * TRIPS; ball += 2) {
		if (!wait_ball(t, ball))
			return 0;
		sdpower_i_store_release(&t->ball, ball + 1);
	}
	return 1;
}

/* Writes all lines twice: fetched from the other side's cache, then from this side's own. */
static int walk_twice(struct sdpower_i_turns *t, uint32_t os_id, struct sdpower_i_walked *walked)
{
	const struct sdpower_i_system *const system = t->pair.system;
	const uint64_t switches = system->switches(), begin = sdpower_i_now();
	uint64_t middle, end;

	if (!sdpower_i_walk(t->words, t->lines, t->pair.deadline_ns, &t->stop))
		return give_up(t);
	middle = sdpower_i_now();
	if (!sdpower_i_walk(t->words, t->lines, t->pair.deadline_ns, &t->stop))
		return give_up(t);
	end = sdpower_i_now();
	walked->remote_ns = middle - begin;
	walked->local_ns = end - middle;
	walked->is_good = system->switches() == switches && system->cpu() == os_id;
	return 1;
}

/* The first side learns of a played ball by the ball itself. */
static int obey(struct sdpower_i_turns *t)
{
	switch (t->order) {
	case PING:
		return play(t, 1);
	case WALK:
		if (!walk_twice(t, t->pair.os_id[1], &t->second))
			return 0;
		count_up(t, &t->done);
		return 1;
	default:
		return 0;
	}
}

void sdpower_i_turns_unmap(struct sdpower_i_turns *t)
{
	if (t->memory)
		t->pair.system->unmap(t->memory, t->mapped);
	t->memory = NULL;
}

void sdpower_i_turns_second(struct sdpower_i_turns *t)
{
	if (t->pair.system->pin(t->pair.os_id[1])) {
		t->second_flags = SDPOWER_CALIBRATION_UNPINNED;
		(void)give_up(t);
		return;
	}
	for (uint32_t order = 1; wait_turn(t, &t->given, order); order++)
		if (!obey(t))
			return;
}

static void ask(struct lead *l, enum order order)
{
	l->t->order = order; /* the other side reads it when it has been counted */
	count_up(l->t, &l->t->given);
}

/* Picoseconds of one way of the ball; 0 when it is time to give up. */
static uint64_t sign(struct lead *l)
{
	uint64_t begin, took;

	sdpower_i_store(&l->t->ball, 1); /* the first way is not timed: the other side may sleep */
	ask(l, PING);
	if (!wait_ball(l->t, 2))
		return 0;
	begin = sdpower_i_now();
	if (!play(l->t, 2))
		return 0;
	took = sdpower_i_now() - begin;
	return wait_ball(l->t, 2 * TRIPS) ? took * 1000 / (2 * TRIPS - 4) + 1 : 0;
}

/* The middle one of five. */
static uint64_t fingerprint(struct lead *l)
{
	uint64_t signs[SDPOWER_I_PINGS];

	for (uint32_t i = 0; i < SDPOWER_I_PINGS; i++) {
		const uint64_t s = sign(l);
		uint32_t to = i;

		if (!s)
			return 0;
		for (; to && signs[to - 1] > s; to--)
			signs[to] = signs[to - 1];
		signs[to] = s;
	}
	return signs[SDPOWER_I_PINGS / 2];
}

static int has_moved(uint64_t from, uint64_t to)
{
	return to * MOVED_DEN > from * MOVED_NUM || from * MOVED_DEN > to * MOVED_NUM;
}

/* Memory for all sizes, aligned to huge pages; only what is walked through is ever used. It is
 * exchanged while it is this side's turn, and left to whoever goes last. */
static int take_memory(struct lead *l)
{
	struct sdpower_i_turns *const t = l->t;

	if (t->memory && l->buffer == t->pair.curve.buffer)
		return 1;
	sdpower_i_turns_unmap(t);
	l->buffer = t->pair.curve.buffer;
	t->mapped = (size_t)t->pair.curve.stop_size + HUGE_PAGE;
	t->memory = t->mapped < HUGE_PAGE ? NULL : t->pair.system->map(t->mapped);
	if (!t->memory) {
		t->pair.flags |= SDPOWER_CALIBRATION_NO_MEMORY;
		return 0;
	}
	t->words = (uint64_t *)(((uintptr_t)t->memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
	return 1;
}

static int64_t difference(const struct sdpower_i_walked *w)
{
	return (int64_t)(w->remote_ns - w->local_ns);
}

/* What the walks used of the budget. One that a hypervisor held up is far beyond what an
 * undisturbed walk of the same lines can take, and says nothing about the next size. */
static uint64_t used(const struct sdpower_i_walked *a, const struct sdpower_i_walked *b)
{
	const uint64_t all = a->remote_ns + a->local_ns + b->remote_ns + b->local_ns;
	const uint64_t quick = a->local_ns < b->local_ns ? a->local_ns : b->local_ns;

	return all < quick * HELD_UP ? all : quick * HELD_UP;
}

/* Takes one sign and both sides' walks for a round, unless somebody else ran in between. */
static void judge_round(struct lead *l, struct sdpower_curve_round *round, uint64_t ping,
	const struct sdpower_i_walked *first, const struct sdpower_i_walked *second)
{
	const uint64_t usual = l->t->pair.ping_ps;

	round->there_ns = difference(second);
	round->back_ns = difference(first);
	round->dropped = !first->is_good || !second->is_good || has_moved(usual, ping);
	l->moved += has_moved(usual, ping) && ping < usual * STALLED;
	l->dropped += round->dropped;
	l->rounds++;
	if (!round->dropped)
		l->used_ns += ping * 2 * TRIPS / 1000 + used(first, second);
	round->elapsed_ns = l->used_ns;
}

/* A fingerprint, then both sides by turns: 0 when it is time to give up. */
static int make_round(struct lead *l, struct sdpower_curve_round *round)
{
	struct sdpower_i_turns *const t = l->t;
	struct sdpower_i_walked first;
	const uint64_t ping = sign(l);

	if (!ping || !take_memory(l))
		return 0;
	t->lines = t->pair.curve.size / LINE;
	ask(l, WALK);
	if (!wait_turn(t, &t->done, ++l->walks) || !walk_twice(t, t->pair.os_id[0], &first))
		return 0;
	judge_round(l, round, ping, &first, &t->second);
	return 1;
}

static void keep_point(struct sdpower_i_pair *pair)
{
	if (pair->point_count < SDPOWER_I_POINTS)
		pair->points[pair->point_count++] = pair->curve.last;
}

static void search(struct lead *l)
{
	struct sdpower_i_pair *const pair = &l->t->pair;
	struct sdpower_curve_round round = { .struct_size = sizeof(round) };
	uint32_t points = 0;

	pair->curve.struct_size = sizeof(pair->curve);
	if (sdpower_curve_begin(&pair->rules, &pair->curve))
		return;
	while (pair->curve.step == SDPOWER_CURVE_MEASURE) {
		if (!make_round(l, &round) || sdpower_curve_next(&pair->curve, &round)) {
			(void)sdpower_curve_stop(&pair->curve);
			break;
		}
		if (pair->curve.points != points)
			keep_point(pair);
		points = pair->curve.points;
	}
}

/* What the search does not know: how the way between the two cpus behaved meanwhile. */
static void judge(struct lead *l)
{
	struct sdpower_i_pair *const pair = &l->t->pair;
	const struct sdpower_curve *const c = &pair->curve;
	const int is_late = sdpower_i_now() >= pair->deadline_ns;
	const uint64_t ping = is_late ? 0 : fingerprint(l);

	pair->dropped = l->dropped;
	if (l->moved * 2 > l->rounds || (ping && has_moved(pair->ping_ps, ping)))
		pair->flags |= SDPOWER_CALIBRATION_UNSTABLE;
	if (is_late || c->end == SDPOWER_CURVE_END_BUDGET)
		pair->flags |= SDPOWER_CALIBRATION_TIMEOUT;
	if (c->best.rounds ? !c->best.is_certain : c->end == SDPOWER_CURVE_END_DROPPED)
		pair->flags |= SDPOWER_CALIBRATION_NOISY;
}

static void lead(struct lead *l)
{
	struct sdpower_i_pair *const pair = &l->t->pair;

	pair->ping_ps = fingerprint(l);
	if (!pair->ping_ps || !pair->rules.struct_size)
		return;
	if (pair->ping_ps > FAR_PS)
		pair->rules.budget_ns = pair->far_budget_ns;
	search(l);
	judge(l);
}

void sdpower_i_turns_first(struct sdpower_i_turns *t)
{
	struct lead l = { .t = t };

	if (t->pair.system->pin(t->pair.os_id[0])) {
		t->pair.flags |= SDPOWER_CALIBRATION_UNPINNED;
		(void)give_up(t);
		return;
	}
	lead(&l);
	if (!sdpower_i_load(&t->stop))
		ask(&l, QUIT);
	else if (sdpower_i_now() >= t->pair.deadline_ns)
		t->pair.flags |= SDPOWER_CALIBRATION_TIMEOUT;
}
