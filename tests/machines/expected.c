/* SPDX-License-Identifier: MIT */
/*
 * Recorded machines: every section of NAME.expected is built and compared cpu by cpu. A case
 * is one cpu in one section; a section that must be refused is one case.
 */
#include <dirent.h>
#include <topology_help.h>
#include "machines.h"
#include "section.h"

#define SECTIONS 64

static void tell(const struct recorded *r, uint32_t os_id, const char *field,
	const char *expected, const char *got)
{
	r->tally->mismatches++;
	if (r->tally->shown++ >= SHOWN)
		return;
	printf("%s [%s] cpu %u: %s: expected %.300s, got %.300s\n", r->machine, r->section, os_id, field,
		expected, got);
}

static void tell_section(const struct recorded *r, const char *what)
{
	r->tally->cases++;
	r->tally->mismatches++;
	if (r->tally->shown++ < SHOWN)
		printf("%s [%s]: %s\n", r->machine, r->section, what);
}

/* One cpu's chain against the lines that name it, both ways. */
static void compare_cpu(const struct recorded *r, const struct section *s, sdpower *instance,
	sdpower_cpu cpu)
{
	const uint32_t os_id = r->topology->cpus[cpu].os_id;
	struct sdpower_domain d;
	uint32_t depth = 0;
	char got[16];

	r->tally->cases++;
	for (; sdpower_domain_at(instance, cpu, depth, &d) == SDPOWER_OK; depth++) {
		const struct line *l = section_line(s, os_id, depth);
		const char *field, *expected;
		char *text;

		if (!l) {
			tell(r, os_id, "domain", "none", "one more");
			return;
		}
		text = line_differs(r, instance, d, l, &field, &expected);
		if (text) {
			tell(r, os_id, field, expected, text);
			free(text);
			return;
		}
	}
	snprintf(got, sizeof(got), "%u", depth);
	if (section_levels(s, os_id) != depth)
		tell(r, os_id, "levels", section_line(s, os_id, depth) ? "more" : "other", got);
}

static void compare_section(struct recorded *r, const struct section *s)
{
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = r->topology };
	sdpower_status status;
	sdpower *instance = NULL;

	if (!section_config(s->name, &config)) {
		tell_section(r, "unknown section");
		return;
	}
	status = section_build(r, s->name, &config, &instance);
	if (s->refuse) {
		if (status == SDPOWER_EOVERLAP)
			r->tally->cases++;
		else
			tell_section(r, "must be refused");
	} else if (status != SDPOWER_OK) {
		tell_section(r, sdpower_strstatus(status));
	} else {
		for (sdpower_cpu cpu = 0; cpu < r->topology->cpu_count; cpu++)
			compare_cpu(r, s, instance, cpu);
		if (section_contradicts(s, r->topology))
			tell_section(r, "names cpus that are not there, or contradicts itself");
	}
	free(instance);
}

static void compare_machine(struct recorded *r, char *text)
{
	static struct section sections[SECTIONS];
	const unsigned count = sections_read(text, sections, SECTIONS);

	if (count == 0)
		tell_section(r, "no section");
	for (unsigned i = 0; i < count; i++) {
		r->section = sections[i].name;
		if (sections[i].bad)
			tell_section(r, sections[i].bad);
		else if (sections[i].skip)
			printf("%s [%s]: skipped: %s\n", r->machine, r->section, sections[i].skip);
		else
			compare_section(r, &sections[i]);
	}
	sections_free(sections, count);
}

static void check_machine(const char *directory, const char *name, struct tally *tally)
{
	struct recorded r = { .machine = name, .section = "", .tally = tally };
	char path[4096];
	struct machine m;
	size_t length;
	char *text;

	snprintf(path, sizeof(path), "%s/%s.expected", directory, name);
	text = read_whole(path, &length);
	if (!text)
		return;
	snprintf(path, sizeof(path), "%s/%s.topo", directory, name);
	if (machine_file(&m, path) == SDPOWER_OK) {
		r.topology = &m.topology;
		compare_machine(&r, text);
	} else {
		tell_section(&r, m.diag.text);
	}
	machine_free(&m);
	free(text);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void check_expected(const char *directory, struct tally *tally)
{
	static const char suffix[] = ".topo";
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	char **names = NULL;
	size_t count = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		const size_t length = strlen(entry->d_name);

		if (length < sizeof(suffix) ||
				strcmp(entry->d_name + length - (sizeof(suffix) - 1), suffix) != 0)
			continue;
		names = realloc(names, (count + 1) * sizeof(*names));
		names[count] = strdup(entry->d_name);
		names[count++][length - (sizeof(suffix) - 1)] = '\0';
	}
	if (dir)
		closedir(dir);
	if (count)
		qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		check_machine(directory, names[i], tally);
		free(names[i]);
	}
	free(names);
}
