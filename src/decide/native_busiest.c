/* SPDX-License-Identifier: MIT */
/*
 * Rules P1 to P6: from where an asker pulls under the native rules. All groups of the level are
 * summed before anything is decided, so that their order cannot matter.
 */
#include "busiest.h"
#include "native_answer.h"
#include "native_pass.h"

/* A whole task is moved, the running one if need be: its weight is about that. */
static void answer_running(const struct pass *p, struct sdpower_busiest *answer, uint32_t kind,
	uint32_t group, uint32_t from)
{
	const struct sdpower_i_slot *slot = &p->q.s->slots[from];

	sdpower_i_answer_pull(&p->q, answer, kind, group, from);
	answer->group = sdpower_i_in_ring(group, p->own, p->q.level.domain.groups);
	answer->imbalance = sdpower_i_per_task(sdpower_i_load(&slot->load),
		sdpower_i_load(&slot->nr));
	answer->most = SDPOWER_LOAD_MAX;
}

static int is_measured(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load(&s->slots[pos].has_util) != 0;
}

/*
 * The same by capacity, and where cpus are filled up no more than fits. Who is not measured counts
 * as full with one task already, which must not keep five tasks from being evened out against one.
 */
static void answer_to_busy(const struct sdpower_i_native_search *q, struct sdpower_busiest *answer,
	uint32_t from)
{
	const struct sdpower_i_cpu_view src = sdpower_i_look(q->s, from);
	const struct sdpower_i_cpu_view dst = sdpower_i_look(q->s, q->pos);
	const uint64_t more = (uint64_t)src.load * dst.capacity, less = (uint64_t)dst.load * src.capacity;

	answer->imbalance = sdpower_i_half_of(src.load, src.capacity, dst.load, dst.capacity);
	answer->most = more > less ? (2 * (more - less) - 1) / (src.capacity + dst.capacity) : 0;
	if (q->limits.stacking && dst.nr && is_measured(q->s, from) && is_measured(q->s, q->pos))
		answer->util_most = sdpower_i_room_to_fill(q->s, &dst);
}

/* P1 */
static int pull_waiting(const struct pass *p, struct sdpower_busiest *answer)
{
	uint32_t from;

	answer->waiting = p->left_alone;
	if (p->waiting.group == SDPOWER_ID_NONE)
		return 0;
	if (p->patient && !p->local.nr && p->room_elsewhere) {
		answer->waiting = 1;
		return 0;
	}
	from = sdpower_i_native_loaded(&p->q, p->waiting.group);
	if (from == SDPOWER_I_NONE16)
		return 0;
	sdpower_i_answer_waiting(&p->q, answer, p->waiting.group, from);
	answer->group = sdpower_i_in_ring(p->waiting.group, p->own, p->q.level.domain.groups);
	return 1;
}

/* The worst of all other groups by what a rule compares: P2 and P3 look at single cpus. */
struct worst {
	struct choice choice;
	uint32_t pos;
};

static void consider_cpu(struct worst *worst, const struct pass *p, uint32_t group, uint32_t pos,
	uint64_t amount, uint32_t per)
{
	const struct sdpower_i_native_sums one = { .capacity = per };

	if (pos == SDPOWER_I_NONE16)
		return;
	consider(&worst->choice, p, group, amount, &one);
	if (worst->choice.group == group)
		worst->pos = pos;
}

/* P2: an unused cpu near the task, or of a group in use, will do, and wakes no other group. */
static int is_left_alone(const struct pass *p, uint32_t group, uint32_t capacity)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;

	if (!p->patient)
		return 0;
	if (sdpower_i_native_has_larger(&p->q, group, capacity))
		return 1;
	for (group = first; !p->local.nr && group < end; group++)
		if (group != p->own && sdpower_i_native_has_larger(&p->q, group, capacity) &&
				sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_COUNTS).nr)
			return 1;
	return 0;
}

/* P1, P2: there is something to pull, and room as well, but nearer to it. */
static void leave_alone(struct sdpower_busiest *answer)
{
	answer->reason &= ~(uint32_t)(SDPOWER_REASON_NO_BUSIEST | SDPOWER_REASON_NO_ROOM);
	answer->reason |= SDPOWER_REASON_SEMI_IDLE;
}

/* P2 */
static int push_misfit(const struct pass *p, struct sdpower_busiest *answer)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;
	struct worst worst = { { .group = SDPOWER_ID_NONE }, SDPOWER_I_NONE16 };

	for (uint32_t group = first; p->misfits && group < end; group++) {
		const uint32_t pos = group == p->own ? SDPOWER_I_NONE16 :
			sdpower_i_native_misfit(&p->q, group);

		if (pos != SDPOWER_I_NONE16) {
			const struct sdpower_i_cpu_view c = sdpower_i_look(p->q.s, pos);

			if (is_left_alone(p, group, c.capacity))
				answer->waiting = 1;
			else
				consider_cpu(&worst, p, group, pos, c.util, c.capacity);
		}
	}
	if (worst.pos == SDPOWER_I_NONE16)
		return 0;
	answer_running(p, answer, SDPOWER_PULL_MISFIT, worst.choice.group, worst.pos);
	answer->reason = SDPOWER_REASON_MISFIT;
	return 1;
}

/* P3: only onto a core that is free, within a shared cache. */
static int push_to_priority(const struct pass *p, struct sdpower_busiest *answer)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;
	const struct sdpower_i_forest *f = &p->q.s->forest;
	struct worst worst = { { .group = SDPOWER_ID_NONE }, SDPOWER_I_NONE16 };

	if (!p->prioritised || p->local.nr)
		return 0;
	for (uint32_t group = first; group < end; group++) {
		const uint32_t pos = group == p->own ? SDPOWER_I_NONE16 :
			sdpower_i_native_lower(&p->q, group);

		if (pos != SDPOWER_I_NONE16)
			consider_cpu(&worst, p, group, pos, UINT16_MAX - sdpower_i_priority(f, pos), 1);
	}
	if (worst.pos == SDPOWER_I_NONE16)
		return 0;
	answer_running(p, answer, SDPOWER_PULL_PRIORITY, worst.choice.group, worst.pos);
	answer->reason = SDPOWER_REASON_PRIORITY;
	return 1;
}

/* P4 */
static int push_crowded(const struct pass *p, struct sdpower_busiest *answer)
{
	uint32_t from;

	if (p->crowded.group == SDPOWER_ID_NONE)
		return 0;
	if (p->saves && !p->local.nr && p->core_elsewhere)
		return 0;
	from = sdpower_i_native_crowded(&p->q, p->crowded.group);
	if (from == SDPOWER_I_NONE16)
		return 0;
	answer_running(p, answer, SDPOWER_PULL_SPREAD, p->crowded.group, from);
	answer->reason = SDPOWER_REASON_IMBALANCE | SDPOWER_REASON_SMALL;
	return 1;
}

static void refuse(struct sdpower_busiest *answer, uint32_t asked)
{
	answer->kind = SDPOWER_PULL_NONE;
	answer->group = SDPOWER_ID_NONE;
	answer->group_first = answer->from = answer->target = SDPOWER_CPU_NONE;
	answer->imbalance = answer->most = 0;
	answer->util_most = UINT32_MAX;
	answer->balance = !asked;
	answer->reason = SDPOWER_REASON_NOT_BALANCER;
}

/* Load for each S of capacity. */
static uint64_t load_of(uint64_t load, uint64_t capacity)
{
	return load * SDPOWER_SCALE / (capacity ? capacity : 1);
}

/* P5 */
static int pull_load(const struct pass *p, struct sdpower_busiest *answer)
{
	struct sdpower_busiest_stats *stats = &answer->stats;
	struct sdpower_i_params params;
	uint32_t from, why_not;

	answer->reason = SDPOWER_REASON_NO_BUSIEST;
	if (p->loaded.group == SDPOWER_ID_NONE)
		return 0;
	stats->this_load = load_of(p->local.load, p->local.capacity);
	stats->max_load = load_of(p->loaded.amount, p->loaded.capacity);
	stats->busiest_nr = p->loaded.nr;
	answer->reason = SDPOWER_REASON_WITHIN_PERCENT;
	sdpower_i_params_of(p->q.view->forest, &p->q.level.domain,
		sdpower_i_load(&p->q.view->tree->online_count), &params);
	if (100 * stats->max_load <= params.imbalance_pct * stats->this_load)
		return 0;
	from = sdpower_i_native_loaded(&p->q, p->loaded.group);
	if (from == SDPOWER_I_NONE16)
		return 0;
	sdpower_i_answer_pull(&p->q, answer, SDPOWER_PULL_LOAD, p->loaded.group, from);
	answer->group = sdpower_i_in_ring(p->loaded.group, p->own, p->q.level.domain.groups);
	answer_to_busy(&p->q, answer, from);
	answer->reason = SDPOWER_REASON_IMBALANCE;
	if (answer->most && answer->util_most)
		return 1;
	why_not = answer->most ? SDPOWER_REASON_NO_ROOM : SDPOWER_REASON_ONE_TASK;
	refuse(answer, 0);
	answer->reason = why_not;
	return 0;
}

/* P6 */
static void save_power(const struct pass *p, struct sdpower_busiest *answer)
{
	struct sdpower_i_native_pull pull = { .kind = SDPOWER_PULL_NONE };

	if (p->over_utilised)
		answer->reason |= SDPOWER_REASON_OVERUTILISED;
	if (p->over_utilised || p->q.flags & SDPOWER_ASK_SPREADING)
		return;
	if (!sdpower_i_native_pack(&p->q, &pull)) {
		answer->reason |= pull.reason;
		if (p->idle && pull.reason & SDPOWER_REASON_NOT_BALANCER)
			answer->balance = !(p->q.flags & SDPOWER_ASK_WHO_BALANCES);
		return;
	}
	answer_running(p, answer, pull.kind, pull.group, pull.from);
	answer->target = p->q.s->forest.cpu_at[pull.target];
	answer->util_most = pull.util_most;
	answer->imbalance = pull.amount;
	answer->most = pull.most;
	answer->reason = SDPOWER_REASON_POWER | pull.reason;
}

/* A task too large for its cpu is for any that is larger, as the cpu in charge may be small. */
static int may_pull(const struct pass *p, const struct sdpower_busiest *answer)
{
	uint32_t taker;

	if (answer->kind == SDPOWER_PULL_NONE || answer->kind == SDPOWER_PULL_MISFIT)
		return 1;
	taker = sdpower_i_native_taker(&p->q, p->local.unused);
	if (p->q.flags & SDPOWER_ASK_WHO_BALANCES && p->q.idle != SDPOWER_CPU_NEWLY_IDLE)
		return taker == p->q.pos;
	return sdpower_i_native_takes_well(&p->q, taker);
}

static int push_running(const struct pass *p, struct sdpower_busiest *answer)
{
	return push_misfit(p, answer) || push_to_priority(p, answer) || push_crowded(p, answer);
}

/*
 * The order of the rules. Work that waits is anybody's who is idle; all else is for the cpu in
 * charge, but only if there is anything to do is it worth finding out which one that is.
 */
static void decide(const struct pass *p, struct sdpower_busiest *answer)
{
	answer->spreading = p->over_utilised;
	answer->stats.this_nr = p->local.nr;
	if (p->idle && pull_waiting(p, answer))
		return;
	answer->reason = SDPOWER_REASON_NO_BUSIEST;
	if (!(p->idle ? push_running(p, answer) : pull_load(p, answer)) && p->saves)
		save_power(p, answer);
	if (answer->waiting && answer->kind == SDPOWER_PULL_NONE)
		leave_alone(answer);
	if (!may_pull(p, answer))
		refuse(answer, p->q.flags & SDPOWER_ASK_WHO_BALANCES);
}

/* P4: the level below wants its siblings used first; or too many tasks for power to be saved. */
static uint32_t level_spreads(const struct pass *p)
{
	const uint32_t depth = p->q.depth;

	if (!p->idle || !depth)
		return 0;
	if (p->saves)
		return !sdpower_i_load(&p->q.view->tree->smt);
	return (sdpower_i_get_link(p->q.view, p->q.pos, depth - 1).flags &
		SDPOWER_SD_PREFER_SIBLING) != 0;
}

/* P3: cpus that share a cache, but not a core, and differ in priority. */
static uint32_t level_is_prioritised(const struct pass *p)
{
	return p->idle && p->q.s->forest.priority && p->q.level.link.flags & SDPOWER_SD_SHARE_PKG &&
		!(p->q.level.link.flags & SDPOWER_SD_SHARE_CPUPOWER);
}

static int is_newly_or_idle(uint32_t idle)
{
	return idle != SDPOWER_CPU_NOT_IDLE;
}

static void prepare(struct pass *p)
{
	const uint32_t impatient = SDPOWER_ASK_IMPATIENT | SDPOWER_ASK_SPREADING;

	p->own = sdpower_i_native_ring(&p->q, 0);
	p->waiting.group = p->crowded.group = p->loaded.group = SDPOWER_ID_NONE;
	p->idle = is_newly_or_idle(p->q.idle) && !sdpower_i_load(&p->q.s->slots[p->q.pos].nr);
	p->saves = (p->q.level.link.flags & SDPOWER_SD_POWERSAVINGS) != 0;
	p->patient = p->saves && !(p->q.flags & impatient);
	p->picky = p->q.candidates.words || p->q.level.link.flags & SDPOWER_SD_OVERLAP;
	p->uneven = p->picky || p->q.limits.outside ||
		p->q.level.link.flags & SDPOWER_SD_ASYM_CPUCAPACITY;
	p->misfits = p->room_elsewhere = p->core_elsewhere = p->left_alone = p->over_utilised = 0;
	p->spreads = level_spreads(p);
	p->prioritised = level_is_prioritised(p);
}

void sdpower_i_native_decide(const struct sdpower_i_native_search *q, struct sdpower_busiest *answer)
{
	struct pass p;

	p.q = *q;
	sdpower_i_native_level(&p.q);
	prepare(&p);
	look_at_groups(&p);
	decide(&p, answer);
}
