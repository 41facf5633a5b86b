/* SPDX-License-Identifier: MIT */
/*
 * Compares recorded machines with what is known of them: machines DIR ..., where DIR or its
 * folders hold *.topo files beside
 * expected.tsv or NAME.expected. Prints each mismatch, and last the tally.
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

int main(int argc, char **argv)
{
	struct tally tally = { 0, 0, 0 };

	for (int i = 1; i < argc; i++) {
		check_directory(argv[i], &tally);
		check_folders(argv[i], &tally);
	}
	printf("machines: %u cases, %u mismatches\n", tally.cases, tally.mismatches);
	return tally.cases && !tally.mismatches ? 0 : 1;
}
