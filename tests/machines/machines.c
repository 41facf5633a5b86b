/* SPDX-License-Identifier: MIT */
/*
 * Compares recorded machines with what is known of them: machines DIR ..., where DIR or its
 * folders hold *.topo files beside expected.tsv or NAME.expected. Prints each mismatch, and
 * last the tally.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "machines.h"

static void check_directory(const char *directory, struct tally *tally)
{
	check_reported(directory, tally);
	check_expected(directory, tally);
}

static void check_folders(const char *directory, struct tally *tally)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	struct stat info;
	char path[4096];

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
			check_directory(path, tally);
	}
	if (dir)
		closedir(dir);
}

static const char usage[] =
	"usage: machines DIR...\n"
	"Compares the recorded machines (*.topo) in DIR, and in the folders in it, with what is\n"
	"known of them: NAME.expected beside NAME.topo, and the lines of expected.tsv.\n"
	"Exit status: 0 all agree, 1 some do not or there is none, 2 wrong use.\n";

static int is_folder(const char *path)
{
	DIR *dir = opendir(path);

	if (!dir) {
		fprintf(stderr, "machines: ");
		perror(path);
		return 0;
	}
	closedir(dir);
	return 1;
}

int main(int argc, char **argv)
{
	struct tally tally = { 0, 0, 0 };

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc < 2) {
		fputs(usage, stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (!is_folder(argv[i]))
			return 2;
	for (int i = 1; i < argc; i++) {
		check_directory(argv[i], &tally);
		check_folders(argv[i], &tally);
	}
	printf("machines: %u cases, %u mismatches\n", tally.cases, tally.mismatches);
	return tally.cases && !tally.mismatches ? 0 : 1;
}
