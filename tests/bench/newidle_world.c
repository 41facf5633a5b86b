/* SPDX-License-Identifier: MIT */
#include <math.h>
#include "newidle_world.h"

#define LATENESS 2.0
#define EFFORT .25

/* One idle period: what will come, known to the world only. */
struct period {
	double idle, work, busy, cost[PLAYER_LEVELS];
	int hit[PLAYER_LEVELS];
};

uint64_t world_state;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = world_state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

double world_uniform(void)
{
	return (double)(draw() >> 11) * 0x1p-53;
}

double world_exponential(double mean)
{
	return -mean * log(1 - world_uniform());
}

static double draw_idle(const struct regime *r)
{
	if (r->idle > 0)
		return world_exponential(r->idle);
	return world_uniform() < .9 ? world_exponential(20e3) : world_exponential(4e6);
}

/* Everything is drawn, asked for or not: all players meet the same. */
static void draw_period(const struct regime *r, struct period *p, uint32_t *dice)
{
	p->idle = draw_idle(r);
	for (int i = 0; i < PLAYER_LEVELS; i++) {
		p->cost[i] = r->cost[i] * (.6 + .8 * world_uniform());
		if (world_uniform() < r->spike_chance)
			p->cost[i] *= r->spike;
		p->hit[i] = world_uniform() < r->chance[i];
	}
	p->work = world_exponential(r->work);
	p->busy = world_exponential(r->busy);
	for (int i = 0; i < PLAYER_LEVELS; i++)
		dice[i] = (uint32_t)(world_uniform() * 1024);
}

/* The modes of Linux are not told that a task has come meanwhile; the tracker's hosts are. */
static int hears(const struct player *p)
{
	return p->kind == PLAYER_DQ || p->kind == PLAYER_PROPOSAL;
}

static void live(struct player *p, const struct regime *r, const struct period *d, double now,
	struct result *sum)
{
	double spent = 0, late;
	int level = player_begin(p, now);

	while (level >= 0) {
		const int at = level;

		spent += d->cost[at];
		level = player_searched(p, d->cost[at], d->hit[at], hears(p) && d->idle <= spent,
			now + spent);
		/* A fixed set and a mode of Linux that pulled both end here. */
		if (d->hit[at])
			break;
	}
	late = fmax(spent - d->idle, 0);
	sum->score -= LATENESS * late + EFFORT * spent;
	sum->late += late;
	sum->searched += spent;
	if (p->pulled >= 0) {
		sum->score += fmin(d->work, fmax(d->idle - spent, 0)) - r->move[p->pulled];
		player_ran(p, d->work);
	}
}

struct result world_run(const struct workload *w, enum player_kind kind, uint32_t fixed,
	uint32_t tells, double duration, uint64_t seed, int only)
{
	struct result sum = { .time = 0 };
	struct player p;

	world_state = seed;
	player_init(&p, kind, fixed, w->regime[0].move);
	p.tells = tells;
	while (sum.time < duration) {
		const int which = w->regimes == 1 ? 0 : only >= 0 ? only :
			(int)(sum.time / w->segment) % 2;
		struct period d;

		draw_period(&w->regime[which], &d, p.dice);
		player_moves(&p, w->regime[which].move);
		player_pass(&p, sum.time);
		live(&p, &w->regime[which], &d, sum.time, &sum);
		/* The own task is there at T; one that was late begins when the search ends. */
		player_wake(&p, sum.time + (kind >= PLAYER_K515 && kind <= PLAYER_K70 ?
			fmax(d.idle, p.spent) : d.idle));
		sum.time += fmax(d.idle, p.spent) + d.busy;
	}
	return sum;
}
