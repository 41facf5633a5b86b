/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "newidle_player.h"

#define PASS_EVERY 16e6

/* A player that is refused plays no game worth a table. */
static void must(sdpower_status status)
{
	if (status < 0)
		abort();
}

const char *player_name(enum player_kind kind)
{
	switch (kind) {
	case PLAYER_NONE:
		return "none";
	case PLAYER_PROPOSAL:
		return "proposal";
	case PLAYER_DQ:
		return "dq";
	case PLAYER_FIXED:
		return "fixed";
	default:
		return sdpower_newidle_mode_name((uint32_t)kind);
	}
}

static uint64_t tick(double now)
{
	return (uint64_t)(now / (1e9 / PLAYER_HZ));
}

static int is_linux(const struct player *p)
{
	return p->kind >= PLAYER_K515 && p->kind <= PLAYER_K70;
}

static void init_linux(struct player *p)
{
	p->rules = (struct sdpower_newidle_rules) { .struct_size = sizeof(p->rules),
		.mode = (uint32_t)p->kind, .hz = PLAYER_HZ, .tick_bits = 64, .cpus = 16,
		.migration_cost_ns = 500000 };
	p->cpu.struct_size = sizeof(p->cpu);
	p->tracker = (struct sdpower_newidle) { .struct_size = sizeof(p->tracker),
		.level_count = PLAYER_LEVELS, .level_stride = sizeof(p->levels[0]), .rules = &p->rules,
		.cpu = &p->cpu, .levels = p->levels };
	for (int i = 0; i < PLAYER_LEVELS; i++) {
		p->levels[i].flags = SDPOWER_SD_BALANCE_NEWIDLE;
		p->levels[i].interval_ms = 8;
		p->levels[i].busy_factor = 16;
	}
	must(sdpower_newidle_init(&p->tracker, 0, 0));
}

void player_moves(struct player *p, const double *move_ns)
{
	for (int i = 0; i < PLAYER_LEVELS; i++) {
		p->dq_levels[i].move_ns = (uint32_t)move_ns[i];
		p->proposal.move[i] = move_ns[i];
	}
}

static void init_dq(struct player *p)
{
	p->dq_rules.struct_size = sizeof(p->dq_rules);
	p->dq_cpu.struct_size = sizeof(p->dq_cpu);
	p->dq = (struct sdpower_dq) { .struct_size = sizeof(p->dq), .level_count = PLAYER_LEVELS,
		.rules = &p->dq_rules, .cpu = &p->dq_cpu, .levels = p->dq_levels };
	must(sdpower_dq_init(&p->dq, 0));
}

void player_init(struct player *p, enum player_kind kind, uint32_t fixed, const double *move_ns)
{
	memset(p, 0, sizeof(*p));
	p->kind = kind;
	p->fixed = fixed;
	p->tells = PLAYER_TELLS_ALL;
	p->pulled = -1;
	if (is_linux(p))
		init_linux(p);
	else if (kind == PLAYER_DQ)
		init_dq(p);
	else if (kind == PLAYER_PROPOSAL)
		proposal_init(&p->proposal);
	player_moves(p, move_ns);
}

/* From p->level on, the first one to search, for all but the modes of Linux. */
static int find_level(struct player *p)
{
	for (; p->level < PLAYER_LEVELS; p->level++) {
		int yes = 0;

		if (p->kind == PLAYER_FIXED)
			yes = p->fixed >> p->level & 1;
		else if (p->kind == PLAYER_DQ)
			yes = sdpower_dq_should_search(&p->dq, (uint32_t)p->level,
				(uint64_t)p->spent) > 0;
		else if (p->kind == PLAYER_PROPOSAL)
			yes = proposal_should_search(&p->proposal, p->level, p->spent);
		if (yes)
			return p->level;
	}
	return -1;
}

/* Walks on until the machine wants a search. */
static int next_step(struct player *p, struct sdpower_newidle_report *report)
{
	must(sdpower_newidle_next(&p->tracker, report, &p->walk));
	while (p->walk.step != SDPOWER_NEWIDLE_DONE && p->walk.step != SDPOWER_NEWIDLE_SEARCH) {
		report->facts = 0;
		report->draw = p->walk.step == SDPOWER_NEWIDLE_DRAW ? p->dice[p->walk.level] : 0;
		must(sdpower_newidle_next(&p->tracker, report, &p->walk));
	}
	p->level = p->walk.step == SDPOWER_NEWIDLE_SEARCH ? (int)p->walk.level : -1;
	return p->level;
}

static int begin_linux(struct player *p, double now)
{
	struct sdpower_newidle_ask ask = { .struct_size = sizeof(ask), .now_ns = (uint64_t)now + 1,
		.facts = SDPOWER_NEWIDLE_ACTIVE, .tick = tick(now) };
	struct sdpower_newidle_report report = { .struct_size = sizeof(report) };

	if (!p->quiet)
		ask.facts |= SDPOWER_NEWIDLE_OVERLOADED;
	p->walk.struct_size = sizeof(p->walk);
	must(sdpower_newidle_begin(&p->tracker, &ask, &p->walk));
	if (p->walk.step == SDPOWER_NEWIDLE_DONE)
		return -1;
	report.now_ns = ask.now_ns;
	return next_step(p, &report);
}

int player_begin(struct player *p, double now)
{
	p->since = now;
	p->spent = 0;
	p->level = 0;
	p->pulled = -1;
	if (is_linux(p))
		return begin_linux(p, now);
	if (p->kind == PLAYER_DQ)
		must(sdpower_dq_begin(&p->dq, (uint64_t)now));
	else if (p->kind == PLAYER_PROPOSAL)
		proposal_begin(&p->proposal, now);
	return p->quiet ? -1 : find_level(p);
}

int player_searched(struct player *p, double cost, int pulled, int stop, double now)
{
	p->spent += cost;
	if (pulled)
		p->pulled = p->level;
	if (is_linux(p)) {
		struct sdpower_newidle_report report = { .struct_size = sizeof(report),
			.now_ns = (uint64_t)now + 1 };

		report.facts = (pulled ? (uint32_t)SDPOWER_NEWIDLE_PULLED : 0) |
			(stop ? (uint32_t)SDPOWER_NEWIDLE_PENDING : 0);
		return next_step(p, &report);
	}
	if (p->kind == PLAYER_DQ)
		must(sdpower_dq_account(&p->dq, (uint32_t)p->level, (uint64_t)cost,
			(uint32_t)pulled, (uint64_t)now));
	else if (p->kind == PLAYER_PROPOSAL)
		proposal_account(&p->proposal, p->level, cost, pulled);
	if (pulled || stop)
		return -1;
	p->level++;
	return find_level(p);
}

void player_wake(struct player *p, double now)
{
	const int tells = p->pulled < 0 || p->tells & PLAYER_TELLS_WAKE;

	if (is_linux(p))
		must(sdpower_newidle_wake(&p->tracker, (uint64_t)now + 1));
	else if (p->kind == PLAYER_DQ && tells)
		must(sdpower_dq_wake(&p->dq, (uint64_t)now));
	else if (p->kind == PLAYER_PROPOSAL && tells)
		proposal_wake(&p->proposal, now);
}

void player_ran(struct player *p, double length)
{
	if (p->pulled < 0 || !(p->tells & PLAYER_TELLS_LENGTH))
		return;
	if (p->kind == PLAYER_DQ)
		must(sdpower_dq_ran(&p->dq, (uint64_t)length));
	else if (p->kind == PLAYER_PROPOSAL)
		proposal_ran(&p->proposal, p->pulled, length);
}

void player_pass(struct player *p, double now)
{
	for (; p->next_pass <= now; p->next_pass += PASS_EVERY) {
		struct sdpower_newidle_pass pass = { .struct_size = sizeof(pass) };

		if (!is_linux(p))
			continue;
		must(sdpower_newidle_pass_begin(&p->tracker, 0, tick(p->next_pass), &pass));
		while (pass.step != SDPOWER_NEWIDLE_DONE)
			must(sdpower_newidle_pass_next(&p->tracker, 0, &pass));
	}
}
