/* SPDX-License-Identifier: MIT */
/* The tracker that dq started from, in floating point: what dq has to be better than. */
#include <math.h>
#include "newidle_player.h"

#define LATENESS 2.0
#define EFFORT .25
#define PROBE_SHARE .01
#define PROBE_CAP 2e6
#define SPACING 50.0
#define MOST_FAILURES 6

static double middle(int class)
{
	return 500 * (exp2((class + .5) / 1.5) - 1);
}

void proposal_init(struct proposal *p)
{
	*p = (struct proposal) { .purse = 200e3, .probing = -1 };
	for (int i = 0; i < 24; i++)
		p->lengths[i] = .05;
	for (int i = 0; i < PLAYER_LEVELS; i++) {
		p->hits[i] = 2;
		p->calls[i] = 8;
		p->gain[i] = 4e6;
	}
}

void proposal_begin(struct proposal *p, double now)
{
	p->purse = fmin(p->purse + PROBE_SHARE * (now - p->earned), PROBE_CAP);
	p->earned = p->since = now;
}

static double value(const struct proposal *p, int level, double spent)
{
	double weight = 0, late = 0, room = 0;

	for (int i = 0; i < 24; i++) {
		const double rest = middle(i) - spent - p->cost[level];

		if (middle(i) < spent)
			continue;
		weight += p->lengths[i];
		late += p->lengths[i] * fmax(-rest, 0);
		room += p->lengths[i] * fmin(fmax(rest, 0), p->gain[level]);
	}
	if (weight <= 0)
		return -1;
	return p->hits[level] / p->calls[level] * (room / weight - p->move[level]) -
		LATENESS * late / weight - EFFORT * p->cost[level];
}

int proposal_should_search(struct proposal *p, int level, double spent)
{
	const double cost = p->cost[level] > 0 ? p->cost[level] : 1e3;
	const int failures = p->failures[level] < MOST_FAILURES ? p->failures[level] : MOST_FAILURES;

	p->probing = -1;
	if (value(p, level, spent) > 0)
		return 1;
	if (p->purse < cost || p->since - p->searched[level] < SPACING * cost * exp2(failures))
		return 0;
	p->probing = level;
	return 1;
}

void proposal_account(struct proposal *p, int level, double cost, int pulled)
{
	double *q = &p->cost[level];

	if (p->probing == level) {
		p->purse -= cost;
		p->failures[level]++;
	}
	if (pulled)
		p->failures[level] = 0;
	*q = *q <= 0 ? cost : cost > *q ? *q * 1.072 : *q * .992;
	p->hits[level] = p->hits[level] * .995 + (pulled ? 1 : 0);
	p->calls[level] = p->calls[level] * .995 + 1;
	p->searched[level] = p->since;
}

void proposal_ran(struct proposal *p, int level, double length)
{
	p->gains[level]++;
	p->gain[level] += (length - p->gain[level]) * fmax(1 / p->gains[level], .05);
}

void proposal_wake(struct proposal *p, double now)
{
	const double length = now - p->since;
	int class = (int)(1.5 * log2(length / 500 + 1));

	class = class > 23 ? 23 : class;
	for (int i = 0; i < 24; i++)
		p->lengths[i] *= .99;
	p->lengths[class]++;
}
