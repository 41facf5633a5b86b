/* SPDX-License-Identifier: MIT */
/* Rule D9: the preferred wake-up cpu, and which level may name it. */
#include "native.h"

sdpower_cpu sdpower_preferred_wakeup_cpu(const struct sdpower *s)
{
	if (!s)
		return SDPOWER_CPU_NONE;
	if (!sdpower_i_native(s))
		return sdpower_i_load(&s->nominee);
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const sdpower_cpu nominee = sdpower_i_native_nominee(s, &v);

		if (sdpower_i_view_holds(&v))
			return nominee;
	}
	return SDPOWER_CPU_NONE;
}

sdpower_status sdpower_nominate(struct sdpower *s, sdpower_cpu cpu)
{
	if (!s)
		return SDPOWER_EINVAL;
	if (cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	sdpower_i_store(&s->nominee, cpu);
	return SDPOWER_OK;
}

/* No level above saves power: nobody else can pick the package. */
static int topmost_saving_level(const struct sdpower_i_view *v, uint32_t pos, uint32_t depth)
{
	const uint32_t levels = sdpower_i_depth(v, pos);

	while (++depth < levels)
		if (sdpower_i_get_link(v, pos, depth).flags & SDPOWER_SD_POWERSAVINGS)
			return 0;
	return 1;
}

static int span_holds_nominee(const struct sdpower *s, const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	const struct sdpower_i_level_view l = sdpower_i_level_at(v, pos, depth);
	const uint32_t nominee = sdpower_i_position(s, sdpower_i_load(&s->nominee));

	return nominee != SDPOWER_I_NONE16 && sdpower_i_is_active(v, nominee) &&
		sdpower_i_runs_hold(v, l.domain.run, l.domain.runs, nominee);
}

int sdpower_i_may_nominate(const struct sdpower *s, const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	if (sdpower_i_wakeup_level(s, v) < SDPOWER_I_WAKEUP_LEVEL)
		return 0;
	return s->decision_rules == SDPOWER_DECIDE_CLASSIC_30 ||
		topmost_saving_level(v, pos, depth) || span_holds_nominee(s, v, pos, depth);
}
