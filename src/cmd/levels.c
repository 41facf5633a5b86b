/* SPDX-License-Identifier: MIT */
/* sdpower levels: the three words, and what each would do to this machine. */
#include <stdio.h>
#include <stdlib.h>
#include "costs.h"
#include "groups.h"
#include "ink.h"
#include "input.h"
#include "json.h"
#include "rules.h"
#include "say.h"

/* A kind of domain that is filled group by group. */
struct filled {
	const struct chains_kind *kind;
	uint32_t room_min, room_max; /* tasks of a group */
};

/* What a word means: an instance at that level. */
struct meaning {
	const struct rules_level *level;
	sdpower_status status;
	sdpower *s;
	struct chains chains;
	struct chains_kind *kinds;
	uint32_t kind_count, filled_count;
	struct filled *filled;
};

static void measure(struct meaning *m, const struct chains_kind *kind)
{
	struct filled *f = &m->filled[m->filled_count];
	struct groups g;

	if (groups_find(&g, m->s, &m->chains, kind->like) != SDPOWER_OK)
		return;
	*f = (struct filled){ kind, UINT32_MAX, 0 };
	for (uint32_t i = 0; i < g.count; i++) {
		const uint32_t room = groups_room(&g.one[i]);

		f->room_min = room < f->room_min ? room : f->room_min;
		f->room_max = room > f->room_max ? room : f->room_max;
	}
	m->filled_count++;
	groups_drop(&g);
}

static void find_meaning(struct meaning *m, const struct rules_level *level,
	const struct sdpower_topology *t, const struct cmd_options *o)
{
	struct sdpower_config config;

	*m = (struct meaning){ .level = level };
	rules_fill(&config, o);
	config.topology = t;
	config.mc = level->mc;
	config.smt = level->smt;
	m->status = rules_make(&config, &m->s);
	if (m->status == SDPOWER_OK)
		m->status = chains_find(&m->chains, m->s, t);
	if (m->status != SDPOWER_OK)
		return;
	m->kinds = chains_kinds(&m->chains, &m->kind_count);
	m->filled = cmd_alloc(m->kind_count, sizeof(*m->filled));
	for (uint32_t i = 0; i < m->kind_count; i++)
		if (m->kinds[i].like->info.flags & SDPOWER_SD_POWERSAVINGS)
			measure(m, &m->kinds[i]);
}

static void drop_meaning(struct meaning *m)
{
	chains_drop(&m->chains);
	free(m->kinds);
	free(m->filled);
	rules_drop(m->s);
}

static void print_filled(const struct filled *f)
{
	const struct chains_kind *k = f->kind;
	char level[24], groups[24], room[24];

	chains_level(&k->like->info, level, sizeof(level));
	printf("  fills group by group: %u domain%s %s of %s groups; a group takes %s task%s before "
		"the next is used\n", (unsigned)k->domains, k->domains == 1 ? "" : "s", level,
		chains_range(k->groups_min, k->groups_max, groups, sizeof(groups)),
		chains_range(f->room_min, f->room_max, room, sizeof(room)),
		f->room_max == 1 ? "" : "s");
}

/* Are these the levels, and so the rules, of today? */
static bool is_modern(const struct meaning *m)
{
	return m->filled_count && m->filled[0].kind->like->info.level >= SDPOWER_LEVEL_SMT;
}

/* How full the rules of today fill a cpu; 0 for rules that count tasks. */
static uint32_t fill_percent(const struct meaning *m)
{
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables) };

	if (m->level->level != SDPOWER_POWERSAVE || !is_modern(m) ||
			sdpower_get_tunables(m->s, &tunables) != SDPOWER_OK)
		return 0;
	return tunables.fill_percent;
}

static void print_text(const struct meaning *m)
{
	printf("%s%-12s%s mc=%u smt=%u  %s\n", ink(INK_BOLD), m->level->word, ink(INK_PLAIN),
		(unsigned)m->level->mc, (unsigned)m->level->smt, m->level->text);
	if (m->status != SDPOWER_OK) {
		printf("  refused on this machine: %s\n", sdpower_strstatus(m->status));
		return;
	}
	for (uint32_t i = 0; i < m->filled_count; i++)
		print_filled(&m->filled[i]);
	if (!m->filled_count && (m->level->mc || m->level->smt))
		puts("  nothing to empty on this machine: no level has parts that could sleep");
	if (fill_percent(m))
		printf("  a cpu counts as full at %u per cent of its capacity\n",
			(unsigned)fill_percent(m));
	if (m->filled_count && !is_modern(m) && m->level->mc > 1)
		puts("  wakes ordinary tasks on a nominated cpu of a package that is in use");
}

static void print_json(struct json *j, const struct meaning *m)
{
	json_object(j, NULL);
	json_text(j, "level", m->level->word);
	json_number(j, "mc", m->level->mc);
	json_number(j, "smt", m->level->smt);
	json_text(j, "text", m->level->text);
	json_text(j, "status", sdpower_strstatus(m->status));
	json_id(j, "fill_percent", fill_percent(m) ? fill_percent(m) : UINT32_MAX);
	json_array(j, "filled");
	for (uint32_t i = 0; i < m->filled_count; i++) {
		const struct filled *f = &m->filled[i];
		char level[24];

		chains_level(&f->kind->like->info, level, sizeof(level));
		json_object(j, NULL);
		json_text(j, "level", level);
		json_number(j, "domains", f->kind->domains);
		json_number(j, "groups_min", f->kind->groups_min);
		json_number(j, "groups_max", f->kind->groups_max);
		json_number(j, "tasks_per_group_min", f->room_min);
		json_number(j, "tasks_per_group_max", f->room_max);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

/* What the three words mean, and what moving a task costs if that is asked. */
struct levels {
	const struct cmd_options *o;
	const char *name;
	struct sdpower_calibration costs;
	struct meaning *meanings; /* [rules_level_count] */
};

static bool has_costs(const struct levels *l, const struct meaning *m)
{
	return l->o->costs && m->status == SDPOWER_OK && costs_fit(&l->costs, m->s);
}

/* All trees that the costs fit hold the same cpus at the same depth: one stands for all. */
static const struct meaning *find_costs(const struct levels *l)
{
	for (uint32_t i = 0; i < rules_level_count; i++)
		if (has_costs(l, &l->meanings[i]))
			return &l->meanings[i];
	return NULL;
}

static void print_costs(const struct levels *l, const struct meaning *m)
{
	printf("\n%scosts by level of domains%s\n", ink(INK_BOLD), ink(INK_PLAIN));
	for (uint32_t i = 0; i < m->kind_count; i++) {
		const struct sdpower_domain_info *info = &m->kinds[i].like->info;
		char level[24], text[256];

		chains_level(info, level, sizeof(level));
		if (info->depth < l->costs.count)
			printf("  %-10s %s\n", level,
				costs_text(&l->costs.distance[info->depth], text, sizeof(text)));
	}
	for (uint32_t i = 0; i < rules_level_count; i++)
		if (l->meanings[i].status == SDPOWER_OK && !has_costs(l, &l->meanings[i]))
			printf("  not for %s, which has another tree of domains\n",
				l->meanings[i].level->word);
}

static void write_costs(struct json *j, const struct levels *l, const struct meaning *m)
{
	json_object(j, "costs");
	json_row(j, "for");
	for (uint32_t i = 0; i < rules_level_count; i++)
		if (has_costs(l, &l->meanings[i]))
			json_text(j, NULL, l->meanings[i].level->word);
	json_close(j);
	json_array(j, "domains");
	for (uint32_t i = 0; i < m->kind_count; i++) {
		const struct sdpower_domain_info *info = &m->kinds[i].like->info;
		char level[24];

		if (info->depth >= l->costs.count)
			continue;
		chains_level(info, level, sizeof(level));
		json_object(j, NULL);
		json_number(j, "depth", info->depth);
		json_text(j, "level", level);
		costs_json(j, &l->costs.distance[info->depth]);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void show_json(const struct levels *l, const struct meaning *costs)
{
	struct json j;

	json_start(&j, stdout);
	json_text(&j, "machine", l->name);
	json_text(&j, "rules", l->o->rules);
	json_array(&j, "levels");
	for (uint32_t i = 0; i < rules_level_count; i++)
		print_json(&j, &l->meanings[i]);
	json_close(&j);
	if (costs)
		write_costs(&j, l, costs);
	json_end(&j);
}

static void show_text(const struct levels *l, const struct meaning *costs)
{
	for (uint32_t i = 0; i < rules_level_count; i++)
		print_text(&l->meanings[i]);
	if (costs)
		print_costs(l, costs);
}

static int show(struct levels *l, const struct sdpower_topology *t)
{
	const struct meaning *costs;
	int code = CMD_GOOD;

	l->meanings = cmd_alloc(rules_level_count, sizeof(*l->meanings));
	for (uint32_t i = 0; i < rules_level_count; i++)
		find_meaning(&l->meanings[i], &rules_levels[i], t, l->o);
	costs = find_costs(l);
	if (l->o->costs && !costs)
		code = costs_refuse(l->o->costs);
	else if (l->o->json)
		show_json(l, costs);
	else
		show_text(l, costs);
	for (uint32_t i = 0; i < rules_level_count; i++)
		drop_meaning(&l->meanings[i]);
	free(l->meanings);
	return code;
}

static int run(const struct cmd_options *o)
{
	struct levels l = { .o = o };
	struct input_machine m;
	int code = input_machine_or_say(&m, o->file_count ? o->files[0] : NULL);

	if (code != CMD_GOOD)
		return code;
	l.name = m.name;
	if (o->costs)
		code = costs_read(o->costs, NULL, &l.costs);
	if (code == CMD_GOOD)
		code = show(&l, m.table);
	input_machine_drop(&m);
	return code;
}

const struct cmd_command cmd_levels = {
	"levels", "[MACHINE]", "Kr", 0, 1, "tell what the three power levels mean on a machine",
	"Prints the words performance, balanced and powersave, the knobs behind each, and which parts\n"
	"of the machine would be filled before others are used; with --costs, what moving a task costs.",
	run
};
