/* SPDX-License-Identifier: MIT */
/*
 * Compares loaded machines with NAME.facts, what hwloc says of them: facts DIR. A kind that the
 * facts call different from a literal reading of sysfs is left out; without DIR or files it
 * exits with 77, a skip.
 */
#include <dirent.h>
#include <topology_help.h>
#include "machines.h"

#define WORDS 512u /* os ids below 16384 */

struct facts {
	char *text;
	const struct machine *m;
	const char *name;
	struct tally *tally;
};

static int same(const struct sdpower_cpu_desc *a, const struct sdpower_cpu_desc *b, const char *kind)
{
	if (a == b)
		return 1;
	if (strcmp(kind, "package") == 0)
		return a->package == b->package;
	if (strcmp(kind, "core") == 0)
		return a->package == b->package && a->core == b->core && a->core != SDPOWER_ID_NONE;
	if (strcmp(kind, "die") == 0)
		return a->package == b->package && a->die == b->die;
	if (strcmp(kind, "llc") == 0)
		return a->llc == b->llc && a->llc != SDPOWER_ID_NONE;
	return a->node == b->node;
}

static int is_in(const struct machine *m, uint32_t i, const struct sdpower_cpu_desc *first, const char *kind)
{
	const struct sdpower_cpu_desc *cpu = &m->topology.cpus[i];

	if (cpu->flags & SDPOWER_CPU_OFFLINE)
		return 0;
	if (strcmp(kind, "pus") == 0)
		return 1;
	if (strcmp(kind, "allowed") == 0)
		return !m->topology.allowed || ((m->topology.allowed[i / 32] >> (i % 32)) & 1u);
	return first && same(cpu, first, kind);
}

static void read_list(const char *p, uint32_t *mask, uint32_t *first)
{
	*first = UINT32_MAX;
	while (*p >= '0' && *p <= '9') {
		char *end;
		uint32_t a = (uint32_t)strtoul(p, &end, 10), b = a;

		if (*end == '-')
			b = (uint32_t)strtoul(end + 1, &end, 10);
		*first = a < *first ? a : *first;
		for (; a <= b && a / 32u < WORDS; a++)
			mask[a / 32u] |= 1u << (a % 32u);
		p = end + (*end == ',');
	}
}

/* Facts that give several sets one id (ia64 packages) mean one thing by our rules. */
static void merge_same_id(const struct facts *f, const char *kind, const char *id, uint32_t *mask)
{
	char start[64];
	uint32_t first;

	if (strcmp(kind, "package") != 0 || strcmp(id, "None") == 0)
		return;
	snprintf(start, sizeof(start), "\n%s\t%s\t", kind, id);
	for (const char *p = strstr(f->text, start); p; p = strstr(p + 1, start))
		read_list(p + strlen(start), mask, &first);
}

static void check_set(const struct facts *f, const char *kind, const char *id, const char *list)
{
	const struct sdpower_topology *t = &f->m->topology;
	uint32_t want[WORDS], got[WORDS], first;
	const struct sdpower_cpu_desc *cpu;

	memset(want, 0, sizeof(want));
	memset(got, 0, sizeof(got));
	read_list(list, want, &first);
	merge_same_id(f, kind, id, want);
	cpu = machine_cpu(f->m, first);
	for (uint32_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i].os_id / 32u < WORDS && is_in(f->m, i, cpu, kind))
			got[t->cpus[i].os_id / 32u] |= 1u << (t->cpus[i].os_id % 32u);
	f->tally->cases++;
	if (memcmp(want, got, sizeof(want)) == 0)
		return;
	f->tally->mismatches++;
	printf("%s: %s %s is not %s\n", f->name, kind, id, list);
}

static void check_distances(const struct facts *f, const char *id, const char *row)
{
	const struct sdpower_topology *t = &f->m->topology;
	const uint32_t node = (uint32_t)strtoul(id, NULL, 10);
	char text[4096] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < t->node_count; i++)
		for (uint32_t j = 0; t->nodes[i] == node && j < t->node_count; j++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, j ? " %u" : "%u",
				t->distances ? t->distances[i * t->node_count + j] : i == j ? 10u : 20u);
	f->tally->cases++;
	if (strcmp(text, row) == 0)
		return;
	f->tally->mismatches++;
	printf("%s: distances of node %s are %s, not %s\n", f->name, id, text, row);
}

static int is_left_out(const struct facts *f, const char *kind)
{
	char differs[96];

	snprintf(differs, sizeof(differs), "literal reading of sysfs: %s", kind);
	return strstr(f->text, differs) || (strcmp(kind, "llc") == 0 && strstr(f->text, " llcs=0"));
}

static void check_line(const struct facts *f, char *line)
{
	static const char *const kinds[] = { "pus", "allowed", "package", "die", "core", "node", "llc" };
	char *id = strchr(line, '\t'), *list;

	if (line[0] == '#' || !id || !(list = strchr(id + 1, '\t')))
		return;
	*id++ = '\0';
	*list++ = '\0';
	if (strcmp(line, "distance") == 0 && !is_left_out(f, line))
		check_distances(f, id, list);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(line, kinds[i]) == 0 && strcmp(list, "-") != 0 && !is_left_out(f, line))
			check_set(f, line, id, list);
}

static void check_machine(const char *directory, const char *name, struct tally *tally)
{
	char path[4096], *lines;
	struct facts f = { NULL, NULL, name, tally };
	struct machine m;
	size_t length = 0;

	snprintf(path, sizeof(path), "%s/%s.facts", directory, name);
	f.text = read_whole(path, &length);
	snprintf(path, sizeof(path), "%s/%s.topo", directory, name);
	if (!f.text || machine_file(&m, path) != SDPOWER_OK) {
		printf("%s: not loaded\n", name);
		tally->mismatches++;
		free(f.text);
		return;
	}
	f.m = &m;
	lines = malloc(length + 1u);
	memcpy(lines, f.text, length + 1u);
	for (char *line = lines, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		check_line(&f, line);
	}
	free(lines);
	free(f.text);
	machine_free(&m);
}

int main(int argc, char **argv)
{
	const char *directory = getenv("SDPOWER_MACHINES");
	struct tally tally = { 0, 0 };
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	if (!directory && argc > 1)
		directory = argv[1];
	snprintf(path, sizeof(path), "%s/open", directory ? directory : ".");
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		char *suffix = strrchr(entry->d_name, '.');

		if (!suffix || strcmp(suffix, ".facts") != 0)
			continue;
		*suffix = '\0';
		check_machine(path, entry->d_name, &tally);
	}
	if (dir)
		closedir(dir);
	printf("facts: %u cases, %u mismatches\n", tally.cases, tally.mismatches);
	if (!tally.cases && !tally.mismatches)
		return puts("skipped: no recorded machines here (set SDPOWER_MACHINES)"), 77;
	return tally.mismatches ? 1 : 0;
}
