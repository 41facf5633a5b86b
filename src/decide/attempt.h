/* SPDX-License-Identifier: MIT */
/*
 * Rules D14 and D15: balancing one level once. Pure: a machine that says what to do next and
 * is told what came of it. The caller keeps the candidate mask: after SEARCH the cpu found is
 * the queue of all following steps; when a SEARCH follows a MOVE that cpu leaves the mask.
 */
#ifndef SDPOWER_I_ATTEMPT_H
#define SDPOWER_I_ATTEMPT_H

#include "../state/pace.h"

enum sdpower_i_attempt_step {
	SDPOWER_I_ATTEMPT_SEARCH,  /* find a queue, then sdpower_i_attempt_searched */
	SDPOWER_I_ATTEMPT_MOVE,    /* pull from it, then sdpower_i_attempt_moved */
	SDPOWER_I_ATTEMPT_RUNNING, /* may its running task come here? then sdpower_i_attempt_running */
	SDPOWER_I_ATTEMPT_KICK,    /* ask it to push, unless already asked: sdpower_i_attempt_kicked */
	SDPOWER_I_ATTEMPT_END      /* result and balancer are final */
};

/* What the rules look at, of the level and of the asker. */
struct sdpower_i_attempt_level {
	uint32_t flags;         /* of the level */
	uint32_t saves_above;   /* its parent saves power; 0 without a parent */
	uint32_t min_interval, max_interval; /* ms */
	uint32_t tries;         /* failures before hot tasks move */
	uint32_t wakeup_level;  /* strength of the savings knobs, 0 .. 2 */
};

struct sdpower_i_attempt {
	struct sdpower_i_attempt_level level;
	uint32_t newidle;       /* rule D15 */
	uint32_t sd_idle;       /* no cpu seen has tasks; only threads of a core ask */
	uint32_t all_pinned;    /* no task of the queue last tried may come here */
	uint32_t pushing;       /* a push was newly asked for */
	uint32_t failed;        /* 1 = a queue was found and nothing moved */
	uint32_t balanced;      /* 1 = there was nothing to pull */
	uint32_t balancer;      /* 0 = another cpu balances this level */
	int32_t result;         /* moved, 0, or -1: a sibling is busy or nothing came of it */
};

/* What a search found. */
struct sdpower_i_attempt_found {
	uint32_t balancer;      /* 0 = another cpu balances */
	uint32_t queue;         /* 1 = there is a cpu to pull from */
	uint32_t nr;            /* its tasks */
	uint32_t sd_idle;       /* as the search left it */
};

/* What is known of "all tasks are pinned" after a move. */
enum sdpower_i_pinned {
	SDPOWER_I_PINNED_SAME = -1, /* nothing was tried: as before */
	SDPOWER_I_PINNED_NO = 0,
	SDPOWER_I_PINNED_ALL = 1
};

enum sdpower_i_attempt_step sdpower_i_attempt_start(struct sdpower_i_attempt *a,
	const struct sdpower_i_attempt_level *level, uint32_t idle);
enum sdpower_i_attempt_step sdpower_i_attempt_searched(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, const struct sdpower_i_attempt_found *found);
enum sdpower_i_attempt_step sdpower_i_attempt_moved(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int32_t moved, enum sdpower_i_pinned pinned);
enum sdpower_i_attempt_step sdpower_i_attempt_running(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int allowed);
enum sdpower_i_attempt_step sdpower_i_attempt_kicked(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int newly);

#endif
