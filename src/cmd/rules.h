/* SPDX-License-Identifier: MIT */
/* Sets of rules and levels by name, and instances made by them. */
#ifndef CMD_RULES_H
#define CMD_RULES_H

#include <sdpower.h>
#include "cmd.h"
#include "input.h"

/* A set of rules an instance can be made with. */
struct rules_set {
	const char *name;
	uint32_t tree, tuning, decisions; /* fields of struct sdpower_config */
	const char *text;
};

/* A word for people and the knobs it stands for. */
struct rules_level {
	const char *word;
	uint32_t level; /* enum sdpower_power_level */
	uint32_t mc, smt;
	const char *text;
};

extern const struct rules_set rules_sets[];
extern const uint32_t rules_set_count;
extern const struct rules_level rules_levels[];
extern const uint32_t rules_level_count;

bool rules_known(const char *name);
bool rules_level_known(const char *word);

/* Takes rules and knobs of the options; the topology is the caller's to set. */
void rules_fill(struct sdpower_config *config, const struct cmd_options *o);

/* Makes an instance in memory of its own; rules_drop gives it back. Nothing is left on failure. */
sdpower_status rules_make(const struct sdpower_config *config, sdpower **out);
void rules_drop(sdpower *s);

/* Makes the instance the options ask for; says why not: an exit code. */
int rules_make_or_say(const struct cmd_options *o, const struct input_machine *m, sdpower **out);

/* The text one of the calls that write into a buffer has to say; the caller frees it. */
typedef sdpower_status rules_writer(const sdpower *s, char *buffer, size_t size, size_t *length);
sdpower_status rules_text(const sdpower *s, rules_writer *writer, char **text);

#endif
