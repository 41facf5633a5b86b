/* SPDX-License-Identifier: MIT */
/* Counters of the balance driver as text; the format is in counters.h. */
#include "counters.h"
#include "state.h"
#include "../topology/text.h"
#include "../tree/view.h"

static void number(struct sdpower_i_text *t, uint32_t value)
{
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u32(t, value);
}

static void write_level(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_i_view *v, sdpower_cpu cpu, uint32_t depth)
{
	const uint32_t pos = v->forest->pos_of[cpu];
	const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);
	const struct sdpower_i_domain domain = sdpower_i_get_domain(v, link.domain);
	const struct sdpower_i_counters *c = sdpower_i_counters_at(s, pos, depth);

	sdpower_i_text_str(t, "level");
	number(t, v->forest->os_id[cpu]);
	number(t, depth);
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_str(t, sdpower_level_name(domain.level));
	for (uint32_t kind = 0; kind < SDPOWER_PASS_KINDS; kind++)
		for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
			number(t, sdpower_i_load(&c->pass[kind][i]));
	for (uint32_t i = 0; i < SDPOWER_I_PUSH_COUNTERS; i++)
		number(t, sdpower_i_load(&c->push[i]));
	sdpower_i_text_char(t, '\n');
}

static void write_all(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_i_view *v)
{
	sdpower_i_text_str(t, "sdpower counters 1\n");
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		for (uint32_t depth = 0; depth < sdpower_i_depth(v, v->forest->pos_of[cpu]); depth++)
			write_level(t, s, v, cpu, depth);
	sdpower_i_text_str(t, "end\n");
}

sdpower_status sdpower_counters_write(const struct sdpower *s, char *buffer, size_t size,
	size_t *length)
{
	if (!s || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	if (!s->counters)
		return SDPOWER_ENOSYS;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		struct sdpower_i_text t = sdpower_i_text_into(buffer, size);

		write_all(&t, s, &v);
		*length = sdpower_i_text_end(&t);
		if (sdpower_i_view_holds(&v))
			return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
	}
	return SDPOWER_ESTALE;
}
