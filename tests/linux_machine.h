/* SPDX-License-Identifier: MIT */
/* The machine of files that a test of the Linux loader writes, loads and looks at. */
#ifndef TEST_LINUX_MACHINE_H
#define TEST_LINUX_MACHINE_H

#include "linux_help.h"

static struct files files;

static void start(const char *cpus)
{
	memset(&files, 0, sizeof(files));
	put(&files, cpus, CPU "possible");
	put(&files, cpus, CPU "online");
}

static struct machine load(void)
{
	struct machine m;
	const sdpower_status status = machine_files(&m, &files, 0);

	if (status != SDPOWER_OK)
		fail_msg("%d %s", status, m.diag.text);
	return m;
}

static void expect_usable(const char *what, const char *expected)
{
	struct machine m = load();
	char text[128];

	if (strcmp(usable_of(&m, text, sizeof(text)), expected) != 0)
		fail_msg("%s: usable are %s, not %s", what, text, expected);
	machine_free(&m);
}

#endif
