/* SPDX-License-Identifier: MIT */
/* Decisions as sentences. */
#include "explain.h"
#include "group_sums.h"
#include "native.h"

void sdpower_i_explain_field(struct sdpower_i_text *t, const char *name, uint64_t value)
{
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_str(t, name);
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u64(t, value);
}

void sdpower_i_explain_reasons(struct sdpower_i_text *t, uint32_t reason)
{
	const char *separator = "";

	for (uint32_t bit = 1; bit; bit <<= 1) {
		if (!(reason & bit))
			continue;
		sdpower_i_text_str(t, separator);
		sdpower_i_text_str(t, sdpower_reason_text(bit));
		separator = ", ";
	}
}

static sdpower_status finish(struct sdpower_i_text *t, size_t size, size_t *length)
{
	*length = sdpower_i_text_end(t);
	return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
}

static const char *idle_text(uint32_t idle)
{
	static const char texts[3][12] = { "idle", "busy", "newly idle" };

	return idle < 3 ? texts[idle] : "?";
}

/* The most loaded group that was not chosen. */
struct runner_up {
	uint32_t first_cpu;   /* SDPOWER_CPU_NONE = there is none */
	uint64_t load;        /* per S of power */
	uint64_t nr;
};

static int find_runner_up(const struct sdpower *s, const struct sdpower_busiest_request *request,
	const struct sdpower_busiest *answer, struct runner_up *found)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
	const uint32_t pos = sdpower_i_position(s, request->cpu);
	struct sdpower_i_level_view l;
	struct sdpower_i_gather g;

	*found = (struct runner_up){ SDPOWER_CPU_NONE, 0, 0 };
	if (v.generation != answer->domain.generation || request->depth >= sdpower_i_depth(&v, pos))
		return 0;
	l = sdpower_i_level_at(&v, pos, request->depth);
	if (l.link.own_group >= l.domain.groups)
		return 0;
	g = sdpower_i_gather_of(s, &v,
		(struct sdpower_i_mask){ request->candidates, request->candidate_words },
		sdpower_i_load_index(l.params, request->idle));
	for (uint32_t nth = 1; nth < l.domain.groups; nth++) {
		const struct sdpower_i_group group = sdpower_i_get_group(&v, sdpower_i_ring(&l, nth));
		const struct sdpower_i_sums sums = sdpower_i_sum_other(&g,
			&v.tree->groups[sdpower_i_ring(&l, nth)]);
		const uint64_t load = sdpower_i_divide(sums.load * SDPOWER_SCALE,
			group.power ? group.power : 1);

		if (nth == answer->group ||
		    (found->first_cpu != SDPOWER_CPU_NONE && load <= found->load))
			continue;
		*found = (struct runner_up){ group.first_cpu, load, sums.nr };
	}
	return sdpower_i_view_holds(&v);
}

static void tell_group(struct sdpower_i_text *t, const struct sdpower_busiest *answer)
{
	if (answer->group == SDPOWER_ID_NONE) {
		sdpower_i_text_str(t, " pull nothing");
	} else {
		sdpower_i_text_str(t, " pull");
		sdpower_i_text_char(t, ' ');
		sdpower_i_text_u64(t, answer->imbalance);
		sdpower_i_explain_field(t, "from the group of cpu", answer->group_first);
	}
	if (answer->nominee != SDPOWER_CPU_NONE)
		sdpower_i_explain_field(t, "and wake on cpu", answer->nominee);
	sdpower_i_text_str(t, " (");
	sdpower_i_explain_reasons(t, answer->reason);
	sdpower_i_text_str(t, ");");
}

static void tell_numbers(struct sdpower_i_text *t, const struct sdpower_busiest_stats *n)
{
	sdpower_i_explain_field(t, "this", n->this_load);
	sdpower_i_explain_field(t, "max", n->max_load);
	sdpower_i_explain_field(t, "average", n->avg_load);
	sdpower_i_explain_field(t, "this nr", n->this_nr);
	sdpower_i_explain_field(t, "busiest nr", n->busiest_nr);
	sdpower_i_explain_field(t, "busiest per task", n->busiest_lpt);
	if (n->group_imb)
		sdpower_i_text_str(t, " imbalanced within");
	if (n->leader_nr) {
		sdpower_i_explain_field(t, "leader cpu", n->group_leader);
		sdpower_i_explain_field(t, "nr", n->leader_nr);
		sdpower_i_explain_field(t, "least used cpu", n->group_min);
		sdpower_i_explain_field(t, "nr", n->min_nr);
	}
}

static void tell_runner_up(struct sdpower_i_text *t, int known, const struct runner_up *second)
{
	sdpower_i_text_str(t, "; runner-up");
	if (!known) {
		sdpower_i_text_str(t, " unknown");
	} else if (second->first_cpu == SDPOWER_CPU_NONE) {
		sdpower_i_text_str(t, " none");
	} else {
		sdpower_i_explain_field(t, "group of cpu", second->first_cpu);
		sdpower_i_explain_field(t, "load", second->load);
		sdpower_i_explain_field(t, "nr", second->nr);
	}
}

static void tell_classic(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer)
{
	struct runner_up second;
	const int known = find_runner_up(s, request, answer, &second);

	tell_group(t, answer);
	tell_numbers(t, &answer->stats);
	tell_runner_up(t, known, &second);
}

sdpower_status sdpower_explain_busiest(const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer,
	char *buffer, size_t size, size_t *length)
{
	struct sdpower_i_text t;

	if (!s || !request || !answer || !length || (!buffer && size) ||
	    request->struct_size != sizeof(*request) || answer->struct_size != sizeof(*answer))
		return SDPOWER_EINVAL;
	if (request->cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	t = sdpower_i_text_into(buffer, size);
	sdpower_i_text_str(&t, "cpu ");
	sdpower_i_text_u32(&t, request->cpu);
	sdpower_i_explain_field(&t, "depth", request->depth);
	sdpower_i_text_char(&t, ' ');
	sdpower_i_text_str(&t, idle_text(request->idle));
	sdpower_i_text_char(&t, ':');
	if (sdpower_i_native(s))
		sdpower_i_explain_native(&t, s, request, answer);
	else
		tell_classic(&t, s, request, answer);
	return finish(&t, size, length);
}

static void tell_cpu(struct sdpower_i_text *t, const struct sdpower *s, sdpower_cpu cpu)
{
	static const char states[4][12] = { "running", "idle", "claimed", "searching" };
	const struct sdpower_i_slot *slot;
	uint32_t status;

	if (cpu == SDPOWER_CPU_NONE) {
		sdpower_i_text_str(t, "no cpu");
		return;
	}
	slot = &s->slots[sdpower_i_position(s, cpu)];
	status = sdpower_i_load(&slot->status);
	sdpower_i_text_str(t, "cpu ");
	sdpower_i_text_u32(t, cpu);
	sdpower_i_text_str(t, " [");
	sdpower_i_text_str(t, status < 4 ? states[status] : "?");
	sdpower_i_explain_field(t, "nr", sdpower_i_load(&slot->nr));
	sdpower_i_explain_field(t, "load", sdpower_i_load(&slot->load));
	sdpower_i_text_char(t, ']');
}

sdpower_status sdpower_explain_pick(const struct sdpower *s, const struct sdpower_pick *pick,
	sdpower_cpu other, char *buffer, size_t size, size_t *length)
{
	struct sdpower_i_text t;

	if (!s || !pick || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	if ((pick->cpu != SDPOWER_CPU_NONE && pick->cpu >= s->forest.cpu_count) ||
	    (other != SDPOWER_CPU_NONE && other >= s->forest.cpu_count))
		return SDPOWER_ENOENT;
	t = sdpower_i_text_into(buffer, size);
	tell_cpu(&t, s, pick->cpu);
	sdpower_i_text_str(&t, " (");
	sdpower_i_explain_reasons(&t, pick->reason);
	sdpower_i_text_str(&t, ")");
	if (other != SDPOWER_CPU_NONE && other != pick->cpu) {
		sdpower_i_text_str(&t, "; runner-up ");
		tell_cpu(&t, s, other);
	}
	return finish(&t, size, length);
}
