/* SPDX-License-Identifier: MIT */
/* Kind fbg: find_busiest_group and find_busiest_queue with all their numbers. */
#include <string.h>
#include "vectors.h"
#include "decide/decide.h"

#define STATS 16u

struct question {
	uint64_t id, tree, level, cpu, idle, asks, mc, smt, sd_idle, pref, powers, cpus;
	uint32_t power[64];
	struct vec_state state;
};

struct answer {
	uint64_t group, imbalance;
	int64_t sd_idle, balance, pref30, pref_v4, path, queue;
	int64_t stats[STATS];
};

static const char *const stat_names[STATS] = { "total_load", "total_pwr", "this_load", "max_load",
	"avg_load", "this_nr", "this_lpt", "busiest_nr", "busiest_lpt", "group_imb", "psb",
	"group_min", "group_leader", "min_lpt", "leader_nr", "min_nr" };

static int read_question(struct vec_line *line, struct question *q)
{
	vec_word(line, "F");
	q->id = vec_number(line);
	q->tree = vec_number(line);
	q->level = vec_number(line);
	q->cpu = vec_number(line);
	q->idle = vec_number(line);
	q->asks = vec_number(line);
	q->mc = vec_number(line);
	q->smt = vec_number(line);
	q->sd_idle = vec_number(line);
	q->pref = vec_number(line);
	q->state.step = (uint32_t)vec_number(line);
	q->powers = vec_number(line);
	for (uint64_t i = 0; i < q->powers && !line->bad; i++) {
		if (i < 64)
			q->power[i] = (uint32_t)vec_number(line);
		else
			line->bad = 1;
	}
	q->cpus = vec_mask(line);
	vec_read_cpus(line, &q->state);
	return vec_complete(line);
}

static int read_answer(struct vec_line *line, const char *word, struct answer *a)
{
	vec_word(line, word);
	a->group = vec_mask(line);
	a->imbalance = vec_number(line);
	a->sd_idle = vec_signed(line);
	a->balance = vec_signed(line);
	a->pref30 = vec_signed(line);
	a->pref_v4 = vec_signed(line);
	a->path = vec_signed(line);
	a->queue = vec_signed(line);
	for (unsigned i = 0; i < STATS && a->path != 0; i++)
		a->stats[i] = vec_signed(line);
	return vec_complete(line);
}

static uint64_t group_mask(const struct sdpower *s, const struct sdpower_busiest_request *request,
	uint32_t nth)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
	const struct sdpower_i_level_view l = sdpower_i_level_at(&v,
		sdpower_i_position(s, request->cpu), request->depth);

	return nth == SDPOWER_ID_NONE ? 0 : vec_group_mask(&v, sdpower_i_ring(&l, nth));
}

static int64_t path_of(uint32_t reason)
{
	static const uint32_t order[] = { SDPOWER_REASON_NOT_BALANCER, SDPOWER_REASON_NO_BUSIEST,
		SDPOWER_REASON_LOCAL_BUSIER, SDPOWER_REASON_LOCAL_ABOVE_AVERAGE,
		SDPOWER_REASON_WITHIN_PERCENT, SDPOWER_REASON_ONE_TASK, SDPOWER_REASON_IMBALANCE };

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (reason & order[i])
			return reason & SDPOWER_REASON_POWER ? 10 + i : i;
	return -1;
}

static int64_t cpu_or_minus(sdpower_cpu cpu)
{
	return cpu == SDPOWER_CPU_NONE ? -1 : (int64_t)cpu;
}

static void tell_stats(const struct sdpower_busiest_stats *s, int64_t *to)
{
	const int64_t all[STATS] = { (int64_t)s->total_load, (int64_t)s->total_power,
		(int64_t)s->this_load, (int64_t)s->max_load, (int64_t)s->avg_load, s->this_nr,
		(int64_t)s->this_lpt, s->busiest_nr, (int64_t)s->busiest_lpt, s->group_imb,
		s->power_balance, cpu_or_minus(s->group_min), cpu_or_minus(s->group_leader),
		(int64_t)s->min_lpt, s->leader_nr, s->min_nr };

	memcpy(to, all, sizeof(all));
}

/* Asks one instance; the nomination is returned and the rest of the answer filled. */
static int64_t ask(struct vec_run *run, const struct question *q, uint32_t rules,
	struct answer *a)
{
	struct sdpower *s = vec_tree_instance(run->trees, (unsigned)q->tree, (uint32_t)q->mc,
		(uint32_t)q->smt, rules, 0);
	const uint32_t words[2] = { (uint32_t)q->cpus, (uint32_t)(q->cpus >> 32) };
	const unsigned cpus = vec_tree_cpus(run->trees, (unsigned)q->tree);
	const int all = q->cpus == (cpus < 64 ? (UINT64_C(1) << cpus) - 1 : UINT64_MAX);
	struct sdpower_busiest_request request = { .struct_size = sizeof(request),
		.cpu = (uint32_t)q->cpu, .depth = (uint32_t)q->level, .idle = (uint32_t)q->idle,
		.flags = q->asks ? SDPOWER_ASK_WHO_BALANCES : 0, .sd_idle = (uint32_t)q->sd_idle,
		.candidates = all && q->id % 2 ? NULL : words, .candidate_words = 2,
		.group_power_count = (uint32_t)q->powers, .group_power = q->powers ? q->power : NULL };
	struct sdpower_queue_request queue = { .struct_size = sizeof(queue),
		.candidates = request.candidates, .candidate_words = 2 };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };
	struct sdpower_pick pick = { SDPOWER_CPU_NONE, 0 };

	if (!s || sdpower_nominate(s, (uint32_t)q->pref))
		return INT64_MIN;
	vec_store_state(s, &q->state, cpus, q->id);
	if (sdpower_find_busiest_group(s, &request, &answer))
		return INT64_MIN;
	queue.domain = answer.domain;
	queue.group = answer.group;
	queue.imbalance = answer.imbalance;
	if (answer.group != SDPOWER_ID_NONE && sdpower_find_busiest_queue(s, &queue, &pick))
		return INT64_MIN;
	a->group = group_mask(s, &request, answer.group);
	a->imbalance = answer.imbalance;
	a->sd_idle = answer.sd_idle;
	a->balance = q->asks ? (int64_t)answer.balance : -1;
	a->path = path_of(answer.reason);
	a->queue = cpu_or_minus(pick.cpu);
	tell_stats(&answer.stats, a->stats);
	return answer.nominee == SDPOWER_CPU_NONE ? (int64_t)q->pref : (int64_t)answer.nominee;
}

static void compare(struct vec_run *run, const struct answer *expected, const struct answer *got)
{
	vec_expect(run, "group", (int64_t)expected->group, (int64_t)got->group);
	vec_expect(run, "imbalance", (int64_t)expected->imbalance, (int64_t)got->imbalance);
	vec_expect(run, "sd_idle_out", expected->sd_idle, got->sd_idle);
	vec_expect(run, "balance_out", expected->balance, got->balance);
	vec_expect(run, "path", expected->path, got->path);
	vec_expect(run, "queue", expected->queue, got->queue);
	for (unsigned i = 0; i < STATS && expected->path != 0; i++)
		vec_expect(run, stat_names[i], expected->stats[i], got->stats[i]);
}

static void check(struct vec_run *run, const struct question *q, const struct answer *expected)
{
	struct answer got = { 0 };

	vec_begin(run, q->id);
	vec_expect(run, "pref30", expected->pref30, ask(run, q, SDPOWER_DECIDE_CLASSIC_30, &got));
	compare(run, expected, &got);
	vec_expect(run, "pref_v4", expected->pref_v4, ask(run, q, SDPOWER_DECIDE_CLASSIC, &got));
	compare(run, expected, &got);
}

/* An E line replaces its R line, so that a case is checked when the next one begins. */
void vec_fbg(struct vec_run *run)
{
	enum { NOTHING, QUESTION, ANSWER } have = NOTHING;
	struct vec_line *line = &run->line;
	struct question q;
	struct answer a;

	while (vec_next(run)) {
		const char first = line->token[0][0];

		if (first == 'E' && have == ANSWER) {
			if (!read_answer(line, "E", &a)) {
				vec_malformed(run, "E");
				have = NOTHING;
			}
			continue;
		}
		if (have == ANSWER)
			check(run, &q, &a);
		if (have != QUESTION && first == 'F' && read_question(line, &q)) {
			have = QUESTION;
		} else if (have == QUESTION && first == 'R' && read_answer(line, "R", &a)) {
			have = ANSWER;
		} else {
			vec_malformed(run, "F or R");
			have = NOTHING;
		}
	}
	if (have == ANSWER)
		check(run, &q, &a);
	else if (have == QUESTION)
		vec_malformed(run, "R");
}
