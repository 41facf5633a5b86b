/* SPDX-License-Identifier: MIT */
/* Files of a system below a root. */
#ifndef SDPOWER_I_FILES_H
#define SDPOWER_I_FILES_H

#include <sdpower/topology.h>

struct sdpower_i_files {
	int root; /* directory, open */
};

/* A sdpower_read_fn over struct sdpower_i_files. */
int64_t sdpower_i_files_read(void *context, const char *path, char *buffer, size_t size);

/* Reads a whole file into memory from malloc: OK, ENOENT, EIO, ENOSPC. */
sdpower_status sdpower_i_files_whole(const char *path, char **text, size_t *length);

/* Writes a file as one step: OK, EIO, ENOSPC. */
sdpower_status sdpower_i_files_replace(const char *path, const char *text, size_t length);

#endif
