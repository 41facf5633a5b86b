/* SPDX-License-Identifier: MIT */
/* Machines of bug reports: each column of expected.tsv that is not '-' is one case. */
#include <topology_help.h>
#include "machines.h"

#define COLUMNS 7

static const char *const names[COLUMNS] = {
	"usable_cpus", "cores_with_usable_cpus", "packages", "max_usable_threads_per_core", "llc_groups",
	"nodes_with_usable_cpus", "quota_limit_cpus"
};

static void check_column(const char *machine, int column, const char *expected, unsigned got,
	struct tally *tally)
{
	char *end;
	unsigned long number;

	if (strcmp(expected, "-") == 0)
		return;
	tally->cases++;
	number = strtoul(expected, &end, 10);
	if (end != expected && !*end && number == got)
		return;
	tally->mismatches++;
	printf("%s: %s: expected %s, got %u\n", machine, names[column], expected, got);
}

static void check_machine(const char *directory, char *line, struct tally *tally)
{
	char path[4096], *field[COLUMNS + 1], *rest = line;
	struct sdpower_topology_summary s;
	struct machine m;
	sdpower_status status;

	for (int i = 0; i <= COLUMNS; i++) {
		field[i] = rest;
		rest += strcspn(rest, "\t");
		if (*rest)
			*rest++ = '\0';
	}
	snprintf(path, sizeof(path), "%s/%s.topo", directory, field[0]);
	status = machine_file(&m, path);
	if (status != SDPOWER_OK)
		printf("%s: %s: %s\n", field[0], sdpower_strstatus(status), m.diag.text);
	memset(&s, 0, sizeof(s));
	if (status == SDPOWER_OK)
		s = machine_summary(&m);
	{
		const unsigned got[COLUMNS] = {
			s.usable_cpus, s.cores, s.packages, s.threads_per_core_max, s.llc_groups, s.nodes,
			(s.quota_milli + 999u) / 1000u
		};

		for (int i = 0; i < COLUMNS; i++)
			check_column(field[0], i, field[i + 1], got[i], tally);
	}
	machine_free(&m);
}

void check_reported(const char *directory, struct tally *tally)
{
	char path[4096];
	size_t length = 0;
	char *text, *line, *next;

	snprintf(path, sizeof(path), "%s/expected.tsv", directory);
	text = read_whole(path, &length);
	if (!text)
		return;
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (*line && *line != '#')
			check_machine(directory, line, tally);
	}
	free(text);
}
