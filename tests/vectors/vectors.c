/* SPDX-License-Identifier: MIT */
/*
 * vectors KIND FILE [TREES]: replays recorded answers and compares every field. Prints the
 * first ten mismatches and, last, a line with both counts. Exit 0 iff there was at least one
 * case and no mismatch.
 */
#include <stdlib.h>
#include <string.h>
#include "vectors.h"

static const struct kind {
	const char *name;
	void (*replay)(struct vec_run *run);
	int needs_trees;
} kinds[] = {
	{ "fbg", vec_fbg, 1 },
	{ "imbalance", vec_imbalance, 0 },
	{ "idlest", vec_idlest, 1 },
	{ "degenerate", vec_degenerate, 0 },
	{ "cpuload", vec_cpuload, 0 },
	{ "ilb", vec_ilb, 1 },
	{ "wake", vec_wake, 1 },
	{ "machine", vec_machine, 0 },
	{ "migrate", vec_migrate, 0 },
	{ "walk", vec_walk, 0 },
	{ "loop", vec_loop, 1 },
	{ "newidle", vec_newidle, 0 },
	{ "policy", vec_policy, 0 },
	{ "migration", vec_migration, 0 },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* trees.vec lies beside the records unless it is named. */
static struct vec_trees *read_trees(const char *file, const char *named)
{
	const char *slash = strrchr(file, '/');
	char path[4096];

	if (named)
		return vec_trees_read(named);
	snprintf(path, sizeof(path), "%.*strees.vec", slash ? (int)(slash + 1 - file) : 0, file);
	return vec_trees_read(path);
}

static int replay(const struct kind *kind, const char *file, const char *trees)
{
	struct vec_run run = { .kind = kind->name };

	run.file = fopen(file, "r");
	if (!run.file) {
		perror(file);
		return 2;
	}
	if (kind->needs_trees) {
		run.trees = read_trees(file, trees);
		if (!run.trees) {
			fclose(run.file);
			return 2;
		}
	}
	kind->replay(&run);
	if (run.trees)
		vec_trees_free(run.trees);
	free(run.line.text);
	fclose(run.file);
	printf("%s: %lu cases, %lu mismatches\n", kind->name, run.cases, run.mismatches);
	return run.cases == 0 || run.mismatches != 0;
}

static void print_usage(FILE *out)
{
	fputs("usage: vectors KIND FILE [TREES]\n"
		"Replays the records of FILE. Kinds that are about trees read them from TREES, by\n"
		"default from trees.vec beside FILE. Exit status: 0 all agree, 1 some do not or there\n"
		"is none, 2 wrong use. KIND is one of:", out);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(out, " %s", kinds[i].name);
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc > 1 ? find_kind(argv[1]) : NULL;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		print_usage(stdout);
		return 0;
	}
	if (argc > 1 && !kind)
		fprintf(stderr, "vectors: %s: no such kind\n", argv[1]);
	if (!kind || argc < 3 || argc > 4) {
		print_usage(stderr);
		return 2;
	}
	return replay(kind, argv[2], argc == 4 ? argv[3] : NULL);
}
