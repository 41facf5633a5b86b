/* SPDX-License-Identifier: MIT */
/* Sets of rules and levels by name, and instances made by them. */
#include <stdlib.h>
#include <string.h>
#include "rules.h"
#include "say.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

const struct rules_set rules_sets[] = {
	{ "default", SDPOWER_TREE_DEFAULT, SDPOWER_TUNING_TUNED, SDPOWER_DECIDE_DEFAULT,
		"what the library takes when nothing is asked for" },
	{ "classic", SDPOWER_TREE_CLASSIC, SDPOWER_TUNING_TUNED, SDPOWER_DECIDE_CLASSIC,
		"Linux 2.6.30 with the power-savings series of 2009" },
	{ "classic-30", SDPOWER_TREE_CLASSIC_30, SDPOWER_TUNING_TUNED, SDPOWER_DECIDE_CLASSIC_30,
		"Linux 2.6.30 as it was" },
	{ "reverted", SDPOWER_TREE_CLASSIC, SDPOWER_TUNING_REVERTED, SDPOWER_DECIDE_CLASSIC,
		"classic without the re-tuning of November 2008" },
	{ "modern", SDPOWER_TREE_MODERN, SDPOWER_TUNING_TUNED, SDPOWER_DECIDE_NATIVE,
		"the tree of today's Linux with the library's own decisions" },
};
const uint32_t rules_set_count = COUNT(rules_sets);

const struct rules_level rules_levels[] = {
	{ "performance", SDPOWER_PERFORMANCE, 0, 0, "spread: every task finds the least used part" },
	{ "balanced", SDPOWER_BALANCED, 2, 0, "fill a package before waking another one" },
	{ "powersave", SDPOWER_POWERSAVE, 2, 2, "fill packages, and in them cores, thread by thread" },
};
const uint32_t rules_level_count = COUNT(rules_levels);

/* "native" is what the library calls the decisions of its modern tree. */
static const struct rules_set *find_set(const char *name)
{
	if (!strcmp(name, "native"))
		name = "modern";
	for (uint32_t i = 0; i < rules_set_count; i++)
		if (!strcmp(rules_sets[i].name, name))
			return &rules_sets[i];
	return NULL;
}

static const struct rules_level *find_level(const char *word)
{
	for (uint32_t i = 0; i < rules_level_count; i++)
		if (!strcmp(rules_levels[i].word, word))
			return &rules_levels[i];
	return NULL;
}

bool rules_known(const char *name)
{
	return find_set(name) != NULL;
}

bool rules_level_known(const char *word)
{
	return find_level(word) != NULL;
}

void rules_fill(struct sdpower_config *config, const struct cmd_options *o)
{
	const struct rules_set *set = find_set(o->rules);
	const struct rules_level *level = o->level ? find_level(o->level) : NULL;

	*config = (struct sdpower_config){ .struct_size = sizeof(*config), .tree = set->tree,
		.tuning = set->tuning, .decisions = set->decisions };
	if (level) {
		config->mc = level->mc;
		config->smt = level->smt;
	} else {
		config->mc = o->mc == CMD_UNSET ? 0 : o->mc;
		config->smt = o->smt == CMD_UNSET ? 0 : o->smt;
	}
}

sdpower_status rules_make(const struct sdpower_config *config, sdpower **out)
{
	sdpower_status status;
	size_t size, align;
	void *memory;

	status = sdpower_memory_needed(config, &size, &align);
	if (status != SDPOWER_OK)
		return status;
	memory = aligned_alloc(align, size);
	if (!memory)
		return SDPOWER_ENOSPC;
	status = sdpower_init(memory, size, config, out);
	if (status != SDPOWER_OK)
		free(memory);
	return status;
}

int rules_make_or_say(const struct cmd_options *o, const struct input_machine *m, sdpower **out)
{
	struct sdpower_config config;
	sdpower_status status;

	rules_fill(&config, o);
	config.topology = m->table;
	status = rules_make(&config, out);
	if (status == SDPOWER_OK)
		return CMD_GOOD;
	say_of(m->name, "no domains by the rules %s: %s", o->rules, sdpower_strstatus(status));
	return status == SDPOWER_ENOSPC ? CMD_SYSTEM : CMD_NO;
}

/* An instance lies at the start of its memory. */
void rules_drop(sdpower *s)
{
	free(s);
}

sdpower_status rules_text(const sdpower *s, rules_writer *writer, char **text)
{
	sdpower_status status;
	size_t length = 0;

	*text = NULL;
	status = writer(s, NULL, 0, &length);
	if (status != SDPOWER_ENOSPC)
		return status;
	*text = cmd_alloc(length + 1, 1);
	status = writer(s, *text, length + 1, &length);
	if (status != SDPOWER_OK) {
		free(*text);
		*text = NULL;
	}
	return status;
}
