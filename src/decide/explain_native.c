/* SPDX-License-Identifier: MIT */
/* Answers of the native rules as sentences: what for, from whom to whom, and what the groups hold. */
#include "explain.h"
#include "native_sums.h"

static const char *kind_text(uint32_t kind)
{
	static const char *const texts[] = { "nothing", "load", "waiting tasks",
		"a running task too large for its cpu", "a running task for its priority",
		"a running task to spread", "tasks to save power" };

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "?";
}

static void tell_pull(struct sdpower_i_text *t, const struct sdpower_busiest *answer)
{
	sdpower_i_text_str(t, " pull ");
	sdpower_i_text_str(t, kind_text(answer->kind));
	if (answer->group != SDPOWER_ID_NONE) {
		sdpower_i_explain_field(t, "of weight", answer->imbalance);
		sdpower_i_explain_field(t, "from cpu", answer->from);
		sdpower_i_explain_field(t, "to cpu", answer->target);
	}
	if (answer->waiting)
		sdpower_i_text_str(t, ", work is left to an unused cpu nearer to it");
	sdpower_i_text_str(t, " (");
	sdpower_i_explain_reasons(t, answer->reason);
	sdpower_i_text_char(t, ')');
}

static void tell_sums(struct sdpower_i_text *t, const struct sdpower_i_native_sums *sums,
	const struct sdpower_i_group *group)
{
	sdpower_i_explain_field(t, "nr", sums->nr);
	sdpower_i_explain_field(t, "cpus", group->weight);
	sdpower_i_explain_field(t, "unused", sums->unused);
	sdpower_i_explain_field(t, "util", sums->util);
	sdpower_i_explain_field(t, "of", sums->capacity);
}

/* The group with most tasks of those that are neither the local nor the chosen one. */
static uint32_t second_group(const struct sdpower_i_native_search *q, sdpower_cpu chosen)
{
	uint32_t found = SDPOWER_ID_NONE, most = 0;

	for (uint32_t nth = 1; nth < q->level.domain.groups; nth++) {
		const uint32_t index = sdpower_i_native_ring(q, nth);
		const uint32_t nr = sdpower_i_native_sum(q, index, SDPOWER_I_SUM_COUNTS).nr;

		if (sdpower_i_get_group(q->view, index).first_cpu == chosen ||
				(found != SDPOWER_ID_NONE && nr <= most))
			continue;
		found = index;
		most = nr;
	}
	return found;
}

static void tell_group(struct sdpower_i_text *t, const struct sdpower_i_native_search *q,
	const char *what, uint32_t index)
{
	const struct sdpower_i_group group = sdpower_i_get_group(q->view, index);
	const struct sdpower_i_native_sums sums = sdpower_i_native_sum(q, index, SDPOWER_I_SUM_ALL);

	sdpower_i_text_str(t, "; ");
	sdpower_i_text_str(t, what);
	sdpower_i_explain_field(t, "group of cpu", group.first_cpu);
	tell_sums(t, &sums, &group);
}

static void tell_groups(struct sdpower_i_text *t, const struct sdpower_i_native_search *q,
	const struct sdpower_busiest *answer)
{
	const uint32_t second = second_group(q, answer->group_first);

	tell_group(t, q, "local", sdpower_i_native_ring(q, 0));
	for (uint32_t nth = 1; nth < q->level.domain.groups; nth++) {
		const uint32_t index = sdpower_i_native_ring(q, nth);

		if (sdpower_i_get_group(q->view, index).first_cpu == answer->group_first)
			tell_group(t, q, "chosen", index);
	}
	if (second == SDPOWER_ID_NONE)
		sdpower_i_text_str(t, "; runner-up none");
	else
		tell_group(t, q, "runner-up", second);
}

void sdpower_i_explain_native(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
	const uint32_t pos = sdpower_i_position(s, request->cpu);
	struct sdpower_i_native_search q;

	tell_pull(t, answer);
	if (v.generation == answer->domain.generation && request->depth < sdpower_i_depth(&v, pos)) {
		sdpower_i_native_start(&q, s, &v, pos, request->depth);
		q.candidates = (struct sdpower_i_mask){ request->candidates, request->candidate_words };
		if (q.level.link.own_group < q.level.domain.groups) {
			tell_groups(t, &q, answer);
			return;
		}
	}
	sdpower_i_text_str(t, "; runner-up unknown");
}
