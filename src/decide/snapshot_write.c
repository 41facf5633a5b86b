/* SPDX-License-Identifier: MIT */
/* Saving an instance and a question as text; the format is in snapshot.h. */
#include "decide.h"
#include "snapshot.h"
#include "../topology/text.h"

static void number(struct sdpower_i_text *t, uint64_t value)
{
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u64(t, value);
}

static void id(struct sdpower_i_text *t, uint32_t value)
{
	if (value == SDPOWER_ID_NONE)
		sdpower_i_text_str(t, " -");
	else
		number(t, value);
}

static void id16(struct sdpower_i_text *t, uint32_t value)
{
	id(t, value == SDPOWER_I_NONE16 ? SDPOWER_ID_NONE : value);
}

static void write_rules(struct sdpower_i_text *t, const struct sdpower *s)
{
	const struct sdpower_i_forest *f = &s->forest;

	sdpower_i_text_str(t, "sdpower snapshot 1\nrules");
	number(t, f->tree_rules);
	number(t, f->tuning);
	number(t, s->decision_rules);
	number(t, f->wake_flags);
	number(t, (uint32_t)(f->relax_level + 1));
	number(t, f->max_partitions);
	number(t, s->migration_cost_ns);
	sdpower_i_text_char(t, '\n');
}

static void write_options(struct sdpower_i_text *t, const struct sdpower *s)
{
	const struct sdpower_energy *e = &s->energy;

	sdpower_i_text_str(t, "tunables");
	number(t, sdpower_i_load(&s->tuning.fill_percent));
	number(t, sdpower_i_load(&s->tuning.spread_percent));
	number(t, sdpower_i_load(&s->tuning.fit_percent));
	number(t, sdpower_i_load(&s->tuning.dwell_us));
	number(t, sdpower_i_load(&s->tuning.latency_bound_us));
	number(t, sdpower_i_load(&s->tuning.smt_percent));
	sdpower_i_text_str(t, e->struct_size ? "\nenergy" : "\nenergy -");
	for (uint32_t i = 0; e->struct_size && i < SDPOWER_ENERGY_UNITS; i++) {
		number(t, e->row[i].idle);
		number(t, e->row[i].active);
		number(t, e->row[i].wake_us);
	}
	sdpower_i_text_char(t, '\n');
}

static void write_machine(struct sdpower_i_text *t, const struct sdpower_i_view *v)
{
	const struct sdpower_i_forest *f = v->forest;

	sdpower_i_text_str(t, "machine");
	number(t, f->arch);
	number(t, f->overlapping);
	number(t, f->cpu_count);
	number(t, f->node_count);
	number(t, sdpower_i_load(&v->tree->partition_count));
	sdpower_i_text_char(t, '\n');
	for (uint32_t node = 0; node < f->node_count; node++) {
		sdpower_i_text_str(t, "node");
		number(t, f->node_id[node]);
		for (uint32_t to = 0; to < f->node_count; to++)
			number(t, f->distances[(size_t)node * f->node_count + to]);
		sdpower_i_text_char(t, '\n');
	}
}

static void write_cpu(struct sdpower_i_text *t, const struct sdpower_i_view *v, sdpower_cpu cpu)
{
	const struct sdpower_i_forest *f = v->forest;
	const uint32_t pos = f->pos_of[cpu];

	sdpower_i_text_str(t, "cpu");
	number(t, f->os_id[cpu]);
	for (uint32_t key = 0; key < SDPOWER_I_KEYS; key++)
		id16(t, f->key[key][pos]);
	number(t, f->capacity[pos]);
	number(t, sdpower_i_priority(f, pos));
	number(t, sdpower_i_load16(&v->tree->state[pos]));
	id16(t, sdpower_i_load16(&v->tree->partition[pos]));
	sdpower_i_text_char(t, '\n');
}

static void write_slot(struct sdpower_i_text *t, const struct sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	(void)sdpower_get_cpu(s, cpu, &c);
	sdpower_i_text_str(t, "slot");
	number(t, c.nr);
	number(t, c.load);
	number(t, c.activity);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		number(t, c.cpu_load[k]);
	number(t, c.avg_idle_ns);
	number(t, c.idle_since_ns);
	number(t, c.clamped);
	number(t, c.outside_util);
	number(t, c.outside_capacity);
	id(t, c.has_util ? c.util : SDPOWER_ID_NONE);
	sdpower_i_text_char(t, '\n');
}

static void write_mask(struct sdpower_i_text *t, const uint32_t *mask, uint32_t words)
{
	id(t, mask ? words : SDPOWER_ID_NONE);
	for (uint32_t i = 0; mask && i < words; i++)
		number(t, mask[i]);
}

static void write_busiest(struct sdpower_i_text *t, const struct sdpower_busiest_request *q)
{
	id(t, q->cpu);
	number(t, q->depth);
	number(t, q->idle);
	number(t, q->flags);
	number(t, q->sd_idle);
	write_mask(t, q->candidates, q->candidate_words);
	number(t, q->group_power_count);
	for (uint32_t i = 0; i < q->group_power_count; i++)
		number(t, q->group_power[i]);
}

static void write_wake(struct sdpower_i_text *t, const struct sdpower_wake *w)
{
	id(t, w->waker);
	id(t, w->prev);
	number(t, w->flags);
	number(t, w->weight);
	number(t, w->waker_weight);
	number(t, w->waker_overlap_ns);
	number(t, w->task_overlap_ns);
	number(t, w->util);
	number(t, w->since_ran_ns);
	write_mask(t, w->affinity, w->affinity_words);
}

static void write_question(struct sdpower_i_text *t, const struct sdpower_question *q)
{
	sdpower_i_text_str(t, "ask");
	switch (q ? q->kind : SDPOWER_QUESTION_NONE) {
	case SDPOWER_QUESTION_BUSIEST:
		sdpower_i_text_str(t, " busiest");
		write_busiest(t, &q->busiest);
		break;
	case SDPOWER_QUESTION_WAKE:
		sdpower_i_text_str(t, " wake");
		write_wake(t, &q->wake);
		break;
	case SDPOWER_QUESTION_PLACE:
		sdpower_i_text_str(t, " place");
		id(t, q->place.cpu);
		number(t, q->place.depth);
		number(t, q->place.flag);
		number(t, q->place.util);
		write_mask(t, q->place.affinity, q->place.affinity_words);
		break;
	default:
		sdpower_i_text_str(t, " none");
	}
	sdpower_i_text_str(t, "\nend\n");
}

static void time_word(struct sdpower_i_text *t, uint32_t word)
{
	id(t, word ? word - 1u : SDPOWER_ID_NONE);
}

/* Times that rest, because the tree is another one now, decide nothing. */
static void write_costs(struct sdpower_i_text *t, const struct sdpower *s)
{
	const struct sdpower_i_costs *c = &s->costs;
	uint32_t count = sdpower_i_load(&c->valid) ? SDPOWER_I_DISTANCES : 0;

	while (count && !sdpower_i_load(&c->hot[count - 1]) && !sdpower_i_load(&c->cost[count - 1]))
		count--;
	sdpower_i_text_str(t, "costs");
	number(t, count);
	for (uint32_t i = 0; i < count; i++) {
		time_word(t, sdpower_i_load(&c->hot[i]));
		time_word(t, sdpower_i_load(&c->cost[i]));
	}
	sdpower_i_text_char(t, '\n');
}

static void write_all(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_question *question)
{
	write_rules(t, s);
	write_options(t, s);
	write_machine(t, v);
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		write_cpu(t, v, cpu);
	sdpower_i_text_str(t, "knobs");
	number(t, sdpower_i_load(&v->tree->mc));
	number(t, sdpower_i_load(&v->tree->smt));
	id(t, sdpower_i_load(&s->nominee));
	id(t, sdpower_i_load(&s->searcher));
	sdpower_i_text_char(t, '\n');
	write_costs(t, s);
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		write_slot(t, s, cpu);
	write_question(t, question);
}

static int question_fits(const struct sdpower_question *q)
{
	if (!q)
		return 1;
	if (q->struct_size != sizeof(*q) || q->kind > SDPOWER_QUESTION_PLACE)
		return 0;
	return q->kind != SDPOWER_QUESTION_BUSIEST || !q->busiest.group_power_count ||
		q->busiest.group_power;
}

sdpower_status sdpower_snapshot_write(const sdpower *s, const struct sdpower_question *question,
	char *buffer, size_t size, size_t *length)
{
	if (!s || !length || (!buffer && size) || !question_fits(question))
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		struct sdpower_i_text t = sdpower_i_text_into(buffer, size);

		write_all(&t, s, &v, question);
		*length = sdpower_i_text_end(&t);
		if (sdpower_i_view_holds(&v))
			return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
	}
	return SDPOWER_ESTALE;
}
