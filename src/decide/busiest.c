/* SPDX-License-Identifier: MIT */
/* Rule D3: from which group to pull; the order of the tests is the order of the rule. */
#include "busiest_stats.h"
#include "native.h"

#define CLASSIC_FLAGS ((uint32_t)SDPOWER_ASK_WHO_BALANCES)
#define NATIVE_FLAGS (CLASSIC_FLAGS | (uint32_t)SDPOWER_ASK_IMPATIENT | \
	(uint32_t)SDPOWER_ASK_SPREADING)

static sdpower_status check_request(const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer)
{
	if (!s || !request || !answer || request->struct_size != sizeof(*request) ||
	    answer->struct_size != sizeof(*answer))
		return SDPOWER_EINVAL;
	if (request->flags & ~(sdpower_i_native(s) ? NATIVE_FLAGS : CLASSIC_FLAGS) ||
	    request->sd_idle > 1 || request->idle > SDPOWER_CPU_NEWLY_IDLE ||
	    (request->group_power_count && !request->group_power))
		return SDPOWER_EINVAL;
	if (request->cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	return SDPOWER_OK;
}

/* D3: the first reason to leave things as they are, or 0. */
static uint32_t reason_to_rest(struct sdpower_i_search *q)
{
	struct sdpower_busiest_stats *stats = &q->answer.stats;

	if (q->busiest.index == SDPOWER_ID_NONE || !stats->busiest_nr)
		return SDPOWER_REASON_NO_BUSIEST;
	if (stats->this_load >= stats->max_load)
		return SDPOWER_REASON_LOCAL_BUSIER;
	stats->avg_load = SDPOWER_SCALE * stats->total_load / stats->total_power;
	if (stats->this_load >= stats->avg_load)
		return SDPOWER_REASON_LOCAL_ABOVE_AVERAGE;
	if (100 * stats->max_load <= q->params->imbalance_pct * stats->this_load)
		return SDPOWER_REASON_WITHIN_PERCENT;
	stats->busiest_lpt /= stats->busiest_nr;
	if (stats->group_imb && stats->busiest_lpt > stats->avg_load)
		stats->busiest_lpt = stats->avg_load;
	if (stats->max_load <= stats->busiest_lpt)
		return SDPOWER_REASON_ONE_TASK;
	return 0;
}

static void answer_group(struct sdpower_i_search *q, const struct sdpower_i_member *group,
	uint64_t imbalance)
{
	q->answer.group = group->index >= q->local.index ? group->index - q->local.index :
		group->index + q->groups - q->local.index;
	q->answer.group_first = group->first_cpu;
	q->answer.imbalance = imbalance;
}

/* D4 */
static void pull_imbalance(struct sdpower_i_search *q)
{
	struct sdpower_busiest_stats *stats = &q->answer.stats;
	const struct sdpower_i_slot *slot = &q->gather->s->slots[q->pos];
	struct sdpower_i_amounts a = {
		.max = stats->max_load, .avg = stats->avg_load, .this = stats->this_load,
		.busiest_lpt = stats->busiest_lpt, .this_lpt = stats->this_lpt,
		.this_nr = stats->this_nr,
		.asker_lpt = sdpower_i_per_task(sdpower_i_load(&slot->load),
			sdpower_i_load(&slot->nr)),
		.busiest_power = q->busiest.power, .this_power = q->local.power,
	};

	q->answer.reason = SDPOWER_REASON_IMBALANCE;
	if (sdpower_i_imbalance(&a))
		q->answer.reason |= SDPOWER_REASON_SMALL;
	stats->this_lpt = a.this_lpt;
	q->answer.kind = SDPOWER_PULL_LOAD;
	answer_group(q, &q->busiest, a.imbalance);
}

/* D2: empty the least used group into the local one, and say where wake-ups should go. */
static void save_power(struct sdpower_i_search *q)
{
	if (!sdpower_i_power_applies(q->power, q->local.index))
		return;
	q->answer.reason |= SDPOWER_REASON_POWER;
	q->answer.kind = SDPOWER_PULL_POWER;
	answer_group(q, &q->power->min, q->answer.stats.min_lpt);
	if (sdpower_i_may_nominate(q->gather->s, &q->gather->view, q->pos, q->request->depth)) {
		q->answer.reason |= SDPOWER_REASON_NOMINATED;
		q->answer.nominee = q->power->leader.first_cpu;
	}
}

/* There are candidates: says which. */
static void tell_power(struct sdpower_i_search *q)
{
	struct sdpower_busiest_stats *stats = &q->answer.stats;
	struct sdpower_i_spread spread;

	stats->group_min = q->power->min.first_cpu;
	stats->group_leader = q->power->leader.first_cpu;
	stats->min_nr = q->power->min_nr;
	stats->leader_nr = q->power->leader_nr;
	sdpower_i_spread_of(q->gather, &q->array[q->power->min.index], &spread);
	stats->min_lpt = spread.weighted / q->power->min_nr;
}

static void decide(struct sdpower_i_search *q)
{
	q->power->on = q->request->idle != SDPOWER_CPU_NOT_IDLE && q->flags & SDPOWER_SD_POWERSAVINGS;
	q->power->min_nr = q->power->leader_nr = 0;
	if (!gather_stats(q)) {
		q->answer.balance = 0;
		q->answer.reason = SDPOWER_REASON_NOT_BALANCER;
		return;
	}
	if (q->power->min_nr)
		tell_power(q);
	q->answer.stats.power_balance = q->power->on;
	q->answer.reason = reason_to_rest(q);
	if (!q->answer.reason)
		pull_imbalance(q);
	else if (q->power->on)
		save_power(q);
}

/* Looks up the level; nonsense of a lost race ends here or is dropped by the caller. */
static sdpower_status find_level(struct sdpower_i_search *q, const struct sdpower_i_view *v)
{
	const struct sdpower_i_link *link;
	const struct sdpower_i_domain *domain;
	uint32_t index, own;

	if (q->request->depth >= sdpower_i_depth(v, q->pos))
		return SDPOWER_ENOENT;
	link = sdpower_i_link_at(v, q->pos, q->request->depth);
	index = sdpower_i_below(sdpower_i_load16(&link->domain), v->forest->bounds.domains);
	domain = &v->tree->domains[index];
	q->flags = sdpower_i_load(&link->flags);
	q->first = sdpower_i_load(&domain->group);
	q->groups = sdpower_i_load16(&domain->groups);
	q->array = v->tree->groups;
	q->params = v->forest->templates[sdpower_i_below(sdpower_i_load16(&domain->level),
		SDPOWER_I_CLASSIC_LEVELS)];
	own = sdpower_i_load16(&link->own_group);
	if (q->first + q->groups > v->forest->bounds.groups || own >= q->groups)
		return SDPOWER_ENOENT;
	q->local.index = q->first + own;
	return SDPOWER_OK;
}

/* Everything within one view of the tree; the answer is not touched on errors. */
static sdpower_status search(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer)
{
	struct sdpower_i_power power;
	struct sdpower_i_gather gather;
	struct sdpower_i_search q;
	sdpower_status status;

	q.request = request;
	q.power = &power;
	q.gather = &gather;
	q.pos = s->forest.pos_of[request->cpu];
	q.busiest = (struct sdpower_i_member){ .index = SDPOWER_ID_NONE };
	q.spread = (struct sdpower_i_spread){ .min = UINT32_MAX };
	q.spread_index = SDPOWER_ID_NONE;
	status = find_level(&q, v);
	if (status)
		return status;
	if (request->group_power_count && request->group_power_count != q.groups)
		return SDPOWER_EINVAL;
	gather = sdpower_i_gather_of(s, v,
		(struct sdpower_i_mask){ request->candidates, request->candidate_words },
		sdpower_i_load_index(q.params, request->idle));
	gather.who = request->flags & SDPOWER_ASK_WHO_BALANCES &&
		request->idle != SDPOWER_CPU_NEWLY_IDLE;
	sdpower_i_empty_answer(&q.answer, request->sd_idle);
	q.answer.domain = sdpower_i_handle(v, q.pos, request->depth);
	decide(&q);
	*answer = q.answer;
	return SDPOWER_OK;
}

sdpower_status sdpower_find_busiest_group(const struct sdpower *s,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer)
{
	sdpower_status status = check_request(s, request, answer);
	struct sdpower_i_view v;

	if (status)
		return status;
	if (sdpower_i_native(s))
		return sdpower_i_native_find_busiest(s, request, answer);
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		v = sdpower_i_view_of(&s->forest);
		status = search(s, &v, request, answer);
		/* A refusal must not follow a try that wrote to the answer. */
		if (SDPOWER_LIKELY(sdpower_i_view_holds(&v)) && (!status || i == 0))
			return status;
	}
	sdpower_i_empty_answer(answer, request->sd_idle);
	answer->domain = (struct sdpower_domain){ 0, 0 };
	answer->reason = SDPOWER_REASON_SWAPPED;
	return SDPOWER_OK;
}
