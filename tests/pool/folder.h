/* SPDX-License-Identifier: MIT */
/* A folder of its own for a test, and a small file in it. */
#ifndef POOL_TEST_FOLDER_H
#define POOL_TEST_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct folder {
	char path[64];
};

static inline void folder_open(struct folder *f)
{
	strcpy(f->path, "/tmp/sdpower-pool-XXXXXX");
	assert_non_null(mkdtemp(f->path));
}

/* Valid until the next call. */
static inline const char *folder_name(const struct folder *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return path;
}

static inline void folder_write(const struct folder *f, const char *name, const void *bytes,
	size_t n)
{
	FILE *out = fopen(folder_name(f, name), "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static inline void folder_make(const struct folder *f, const char *name)
{
	assert_int_equal(mkdir(folder_name(f, name), 0700), 0);
}

static inline int folder_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void folder_close(const struct folder *f)
{
	assert_int_equal(nftw(f->path, folder_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
