/* SPDX-License-Identifier: MIT */
/* What other knobs would change, asked by dry runs. */
#include "chains.h"
#include "knobs.h"
#include "rules.h"

static const char *word_for(uint32_t mc, uint32_t smt)
{
	for (uint32_t i = 0; i < rules_level_count; i++)
		if (rules_levels[i].mc == mc && rules_levels[i].smt == smt)
			return rules_levels[i].word;
	return NULL;
}

void knobs_try_all(sdpower *s, struct knobs_change *changes)
{
	for (uint32_t i = 0; i < KNOBS_SETTINGS; i++) {
		struct knobs_change *c = &changes[i];
		struct sdpower_change change = { .struct_size = sizeof(change),
			.flags = SDPOWER_CHANGE_KNOBS | SDPOWER_CHANGE_DRY_RUN, .mc = i / 3,
			.smt = i % 3 };

		*c = (struct knobs_change){ .mc = i / 3, .smt = i % 3,
			.report.struct_size = sizeof(c->report) };
		c->word = word_for(c->mc, c->smt);
		c->status = sdpower_apply(s, &change, &c->report);
	}
}

void knobs_json(struct json *j, const struct knobs_change *c)
{
	json_object(j, NULL);
	json_number(j, "mc", c->mc);
	json_number(j, "smt", c->smt);
	json_text(j, "level", c->word);
	json_text(j, "status", sdpower_strstatus(c->status));
	if (c->status == SDPOWER_OK) {
		json_number(j, "cpus_changed", c->report.cpus_changed);
		json_number(j, "domains_before", c->report.domains_before);
		json_number(j, "domains_after", c->report.domains_after);
		json_number(j, "groups_before", c->report.groups_before);
		json_number(j, "groups_after", c->report.groups_after);
		chains_json_flags(j, "flags_gained", c->report.flags_gained);
		chains_json_flags(j, "flags_lost", c->report.flags_lost);
	}
	json_close(j);
}
