/* SPDX-License-Identifier: MIT */
/*
 * A newly idle cpu that follows one way of deciding what to search: the modes of the library, its
 * tracker dq, the floating-point proposal dq started from, or a fixed set of levels. Stepwise,
 * so that a world may let time pass while a level is searched. Times in ns.
 */
#ifndef SDPOWER_BENCH_NEWIDLE_PLAYER_H
#define SDPOWER_BENCH_NEWIDLE_PLAYER_H

#include <stdint.h>
#include <sdpower.h>

#define PLAYER_LEVELS 3
#define PLAYER_HZ 250

/* In the order of the tables. Values 1 .. 5 are those of sdpower_newidle_mode. */
enum player_kind {
	PLAYER_NONE = 0,
	PLAYER_K515 = SDPOWER_NEWIDLE_K515,
	PLAYER_K70 = SDPOWER_NEWIDLE_K70,
	PLAYER_PROPOSAL,
	PLAYER_DQ,
	PLAYER_KINDS,
	PLAYER_FIXED
};

/* What hosts may leave out. */
#define PLAYER_TELLS_LENGTH 1u /* how long pulled work runs */
#define PLAYER_TELLS_WAKE 2u   /* own wake-ups while pulled work runs */
#define PLAYER_TELLS_ALL 3u

/* The proposal as it was written down, in floating point; see newidle_proposal.c. */
struct proposal {
	double lengths[24], purse, earned, since, move[PLAYER_LEVELS];
	double cost[PLAYER_LEVELS], hits[PLAYER_LEVELS], calls[PLAYER_LEVELS];
	double gain[PLAYER_LEVELS], gains[PLAYER_LEVELS], searched[PLAYER_LEVELS];
	int failures[PLAYER_LEVELS], probing;
};

struct player {
	enum player_kind kind;
	uint32_t tells;
	int quiet;                      /* no cpu has more than one task: nobody searches */
	uint32_t fixed;                 /* FIXED: mask of levels */
	uint32_t dice[PLAYER_LEVELS];   /* draws of the present period */
	double since, spent, next_pass;
	int level, pulled;
	struct proposal proposal;
	struct sdpower_newidle_rules rules;
	struct sdpower_newidle_cpu cpu;
	struct sdpower_newidle_level levels[PLAYER_LEVELS];
	struct sdpower_newidle tracker;
	struct sdpower_newidle_walk walk;
	struct sdpower_dq_rules dq_rules;
	struct sdpower_dq_cpu dq_cpu;
	struct sdpower_dq_level dq_levels[PLAYER_LEVELS];
	struct sdpower_dq dq;
};

const char *player_name(enum player_kind kind);

/* A cpu nobody knows anything about; not to be moved in memory afterwards. */
void player_init(struct player *p, enum player_kind kind, uint32_t fixed, const double *move_ns);

/* What moving work costs from now on. */
void player_moves(struct player *p, const double *move_ns);

/* Idle from now on. The first level to search, or -1. */
int player_begin(struct player *p, double now);

/* A search of p->level is over; stop says that a task waits here. The next level, or -1. */
int player_searched(struct player *p, double cost, int pulled, int stop, double now);

/* The period is over: the cpu's own next task has come. */
void player_wake(struct player *p, double now);

/* What was pulled last runs that long. */
void player_ran(struct player *p, double length);

/* Periodic passes up to now. */
void player_pass(struct player *p, double now);

void proposal_init(struct proposal *p);
void proposal_begin(struct proposal *p, double now);
int proposal_should_search(struct proposal *p, int level, double spent);
void proposal_account(struct proposal *p, int level, double cost, int pulled);
void proposal_ran(struct proposal *p, int level, double length);
void proposal_wake(struct proposal *p, double now);

#endif
