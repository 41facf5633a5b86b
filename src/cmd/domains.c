/* SPDX-License-Identifier: MIT */
/* sdpower domains: everything a domain carries, and what other knobs would change. */
#include <stdio.h>
#include <stdlib.h>
#include "costs.h"
#include "cpus.h"
#include "groups.h"
#include "ink.h"
#include "input.h"
#include "knobs.h"
#include "rules.h"
#include "say.h"

struct domains {
	const struct cmd_options *o;
	const struct sdpower_topology *t;
	sdpower *s;
	sdpower_cpu cpu; /* only its chain, or SDPOWER_CPU_NONE */
	struct chains chains;
	struct sdpower_calibration costs; /* if the options name a file */
	struct knobs_change changes[KNOBS_SETTINGS];
};

/* Numbers of a domain that are told one by one. */
static const struct parameter {
	const char *name, *text;
	size_t offset;
} parameters[] = {
#define PARAMETER(field, text) { #field, text, offsetof(struct sdpower_domain_info, field) }
	PARAMETER(min_interval, "shortest time between passes, ms"),
	PARAMETER(max_interval, "longest time between passes, ms"),
	PARAMETER(balance_interval, "first interval, ms"),
	PARAMETER(busy_factor, "so many times rarer on a busy cpu"),
	PARAMETER(imbalance_pct, "difference left alone, per cent"),
	PARAMETER(cache_nice_tries, "failures before hot tasks move"),
	PARAMETER(busy_idx, "load index for busy cpus"),
	PARAMETER(idle_idx, "load index for idle cpus"),
	PARAMETER(newidle_idx, "load index for newly idle cpus"),
	PARAMETER(wake_idx, "load index for wake-ups"),
	PARAMETER(forkexec_idx, "load index for fork and exec"),
	PARAMETER(imb_numa_nr, "tasks by which nodes may differ"),
#undef PARAMETER
};

#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))

static uint32_t value_of(const struct sdpower_domain_info *info, size_t parameter)
{
	return *(const uint32_t *)(const void *)((const char *)info + parameters[parameter].offset);
}

static void print_groups(const struct domains *d, const struct chains_one *one)
{
	struct groups g;

	if (groups_find(&g, d->s, &d->chains, one) != SDPOWER_OK)
		return;
	printf("  groups in ring order, power (%u = room for one task):\n", SDPOWER_SCALE);
	for (uint32_t i = 0; i < g.count; i++) {
		char *cpus = cpus_text(d->t, g.one[i].cpus);

		printf("    %6u  cpus %s\n", (unsigned)g.one[i].info.power, cpus);
		free(cpus);
	}
	groups_drop(&g);
}

/* A domain holds the pairs of cpus that are its depth apart. */
static void print_costs(const struct domains *d, uint32_t depth)
{
	char text[256];

	if (d->o->costs && depth < d->costs.count)
		printf("  costs %s\n", costs_text(&d->costs.distance[depth], text, sizeof(text)));
}

static void print_domain(const struct domains *d, const struct chains_kind *k)
{
	const struct sdpower_domain_info *info = &k->like->info;
	char level[24], *span = cpus_text(d->t, k->like->span), *flags = chains_flags(info->flags);

	chains_level(info, level, sizeof(level));
	printf("%sdepth %u, %s%s: cpus %s", ink(INK_PART), (unsigned)info->depth, level,
		ink(INK_PLAIN), span);
	if (k->domains > 1)
		printf(" (and %u more)", (unsigned)k->domains - 1);
	printf("\n  flags %s\n", flags);
	print_costs(d, info->depth);
	for (size_t i = 0; i < PARAMETERS; i++)
		printf("  %-17s %5u  %s%s%s\n", parameters[i].name, (unsigned)value_of(info, i),
			ink(INK_DIM), parameters[i].text, ink(INK_PLAIN));
	print_groups(d, k->like);
	free(flags);
	free(span);
}

/* Each domain, or one of each kind. */
static void print_domains(const struct domains *d)
{
	const struct chains *c = &d->chains;
	struct chains_kind *kinds;
	uint32_t count;

	if (d->o->all || d->cpu != SDPOWER_CPU_NONE) {
		for (uint32_t i = 0; i < c->count; i++) {
			const struct chains_kind alone = { .like = &c->one[i], .domains = 1 };

			if (d->cpu == SDPOWER_CPU_NONE || cpus_in(c->one[i].viewers, d->cpu))
				print_domain(d, &alone);
		}
		return;
	}
	kinds = chains_kinds(c, &count);
	for (uint32_t i = 0; i < count; i++)
		print_domain(d, &kinds[i]);
	free(kinds);
}

static void print_change(const struct knobs_change *c)
{
	char *gained = chains_flags(c->report.flags_gained);
	char *lost = chains_flags(c->report.flags_lost);

	printf("mc=%u smt=%u  %-12s", (unsigned)c->mc, (unsigned)c->smt, c->word ? c->word : "");
	if (c->status != SDPOWER_OK)
		printf("refused: %s\n", sdpower_strstatus(c->status));
	else if (!c->report.cpus_changed)
		printf("the same tree\n");
	else
		printf("%u cpus change, domains %u -> %u, groups %u -> %u, gained: %s, lost: %s\n",
			(unsigned)c->report.cpus_changed, (unsigned)c->report.domains_before,
			(unsigned)c->report.domains_after, (unsigned)c->report.groups_before,
			(unsigned)c->report.groups_after, gained, lost);
	free(gained);
	free(lost);
}

static void print_text(const struct domains *d)
{
	uint32_t mc = 0, smt = 0;

	print_domains(d);
	if (!d->chains.count)
		puts("no domains: no cpu has another one to share work with");
	(void)sdpower_get_knobs(d->s, &mc, &smt);
	printf("\n%sother knobs than mc=%u smt=%u would change%s\n", ink(INK_BOLD), (unsigned)mc,
		(unsigned)smt, ink(INK_PLAIN));
	for (uint32_t i = 0; i < KNOBS_SETTINGS; i++)
		if (d->changes[i].mc != mc || d->changes[i].smt != smt)
			print_change(&d->changes[i]);
}

static void write_groups(struct json *j, const struct domains *d, const struct chains_one *one)
{
	struct groups g;

	if (groups_find(&g, d->s, &d->chains, one) != SDPOWER_OK)
		return;
	json_array(j, "groups");
	for (uint32_t i = 0; i < g.count; i++) {
		json_object(j, NULL);
		json_number(j, "power", g.one[i].info.power);
		cpus_json(j, "cpus", d->t, g.one[i].cpus);
		json_close(j);
	}
	json_close(j);
	groups_drop(&g);
}

static void write_costs(struct json *j, const struct domains *d, uint32_t depth)
{
	if (!d->o->costs || depth >= d->costs.count)
		return;
	json_object(j, "costs");
	costs_json(j, &d->costs.distance[depth]);
	json_close(j);
}

static void write_domain(struct json *j, const struct domains *d, const struct chains_one *one)
{
	char level[24];

	chains_level(&one->info, level, sizeof(level));
	json_object(j, NULL);
	json_number(j, "depth", one->info.depth);
	json_text(j, "level", level);
	cpus_json(j, "span", d->t, one->span);
	cpus_json(j, "cpus", d->t, one->viewers);
	chains_json_flags(j, "flags", one->info.flags);
	for (size_t i = 0; i < PARAMETERS; i++)
		json_number(j, parameters[i].name, value_of(&one->info, i));
	write_costs(j, d, one->info.depth);
	write_groups(j, d, one);
	json_close(j);
}

static void print_json(const struct domains *d, const char *name)
{
	const struct chains *c = &d->chains;
	struct json j;

	json_start(&j, stdout);
	json_text(&j, "machine", name);
	json_text(&j, "rules", d->o->rules);
	json_array(&j, "domains");
	for (uint32_t i = 0; i < c->count; i++)
		if (d->cpu == SDPOWER_CPU_NONE || cpus_in(c->one[i].viewers, d->cpu))
			write_domain(&j, d, &c->one[i]);
	json_close(&j);
	json_array(&j, "knobs");
	for (uint32_t i = 0; i < KNOBS_SETTINGS; i++)
		knobs_json(&j, &d->changes[i]);
	json_end(&j);
}

static int show(struct domains *d, const char *name)
{
	const sdpower_status status = chains_find(&d->chains, d->s, d->t);

	if (status != SDPOWER_OK) {
		say_of(name, "%s", sdpower_strstatus(status));
		return CMD_SYSTEM;
	}
	knobs_try_all(d->s, d->changes);
	if (d->o->json)
		print_json(d, name);
	else
		print_text(d);
	chains_drop(&d->chains);
	return CMD_GOOD;
}

static int show_machine(const struct cmd_options *o, const struct input_machine *m)
{
	struct domains d = { .o = o, .t = m->table, .cpu = SDPOWER_CPU_NONE };
	int code;

	if (o->cpu != CMD_UNSET) {
		d.cpu = cpus_find(m->table, o->cpu);
		if (d.cpu == SDPOWER_CPU_NONE) {
			say_of(m->name, "there is no cpu %u", (unsigned)o->cpu);
			return CMD_USE;
		}
	}
	code = rules_make_or_say(o, m, &d.s);
	if (code == CMD_GOOD && o->costs)
		code = costs_read(o->costs, d.s, &d.costs);
	if (code == CMD_GOOD)
		code = show(&d, m->name);
	rules_drop(d.s);
	return code;
}

static int run(const struct cmd_options *o)
{
	struct input_machine m;
	int code = input_machine_or_say(&m, o->file_count ? o->files[0] : NULL);

	if (code != CMD_GOOD)
		return code;
	code = show_machine(o, &m);
	input_machine_drop(&m);
	return code;
}

const struct cmd_command cmd_domains = {
	"domains", "[MACHINE]", "Kcarlms", 0, 1, "tell everything of a domain, and what knobs change",
	"Prints one domain of each kind (--all: every one; --cpu: the chain of that cpu) with its flags,\n"
	"its groups and their power, and how often it is balanced; with --costs, what moving a task\n"
	"costs; then what every other setting of the two savings knobs would change.",
	run
};
