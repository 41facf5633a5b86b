/* SPDX-License-Identifier: MIT */
/*
 * Finds files in a packed text. Only the start of each line is kept: lines of one cpu or one
 * node stand together, and such a run is found by its number; inside it the search starts
 * behind the line found last, which is where a loader usually goes on reading.
 */
#ifndef SDPOWER_I_TOPO_INDEX_H
#define SDPOWER_I_TOPO_INDEX_H

#include <sdpower/types.h>
#include "scan.h"

struct sdpower_i_topo_run {
	uint32_t key;   /* cpu or node number, or "other" */
	uint32_t first; /* its first line; the last one is before the next run's first */
	uint32_t next;  /* next run of the same bucket */
};

struct sdpower_i_topo_index {
	const char *text;
	uint32_t length;
	uint32_t *lines;                  /* start of every line that is a file, up from the front */
	uint32_t line_count;
	struct sdpower_i_topo_run *runs;  /* end of the block: run i is runs[-1 - i] */
	uint32_t run_count;
	uint32_t *heads;                  /* buckets, a power of two of them */
	uint32_t head_count;
	uint32_t highest_cpu;             /* cpu directory with the highest number, or NONE */
	uint32_t highest_node;
	uint32_t last_run;                /* where the last search ended */
	uint32_t last_line;
	uint32_t bad;                     /* where a line is broken, or NONE */
};

/*
 * Walks the text once and indexes it in the block; the loader may use what is left in the
 * middle, from *rest on. OK; EPARSE with bad set; ENOSPC with the counts set.
 */
sdpower_status sdpower_i_topo_index(struct sdpower_i_topo_index *index, void *memory, size_t size,
	unsigned char **rest, size_t *rest_size);
/* Bytes that an index of these counts takes. */
size_t sdpower_i_topo_memory(const struct sdpower_i_topo_index *index);
/* A sdpower_read_fn over the index. */
int64_t sdpower_i_topo_read(void *context, const char *path, char *buffer, size_t size);
/* The same for a path whose length is known. */
int64_t sdpower_i_topo_read_path(struct sdpower_i_topo_index *index, const char *path, uint32_t length,
	char *buffer, size_t size);
/* Content of a file as it stands in the text, escapes and all; at is NULL when there is none. */
struct sdpower_i_scan sdpower_i_topo_line(struct sdpower_i_topo_index *index, const char *path);
/* Number of the line at an offset, from 1. */
uint32_t sdpower_i_topo_line_number(const struct sdpower_i_topo_index *index, uint32_t offset);

#endif
