/* SPDX-License-Identifier: MIT */
/* Lists the regular files below a folder, in a fixed order, up to a number of bytes. */
#ifndef POOL_WALK_H
#define POOL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "atomic.h"

struct walk_file {
	char *path;
	uint64_t size;  /* bytes to use: the last file may be cut by the limit */
};

struct walk {
	struct walk_file *files;
	size_t count, capacity;
	uint64_t bytes;
	uint64_t unreadable; /* folders not opened, entries not looked at */
	uint64_t links;      /* symbolic links, not followed */
	uint64_t special;    /* devices, pipes, sockets: not opened */
	bool limited;        /* there was more than max_bytes */
};

/* 0, or an error number: only when nothing can be listed at all. Ends early, with what was
 * found so far, when *interrupted is not 0; interrupted may be NULL. */
int walk_folder(struct walk *w, const char *root, uint64_t max_bytes, const AO_t *interrupted);
void walk_free(struct walk *w);

#endif
