/* SPDX-License-Identifier: MIT */
/*
 * The work: every file is cut into chunks, and every chunk compressed and hashed. Memory per
 * running chunk is bounded, whatever the size of the file.
 */
#ifndef POOL_WORK_H
#define POOL_WORK_H

#include "pool.h"
#include "walk.h"

/* Small enough that one large file keeps many workers busy, large enough that a chunk
 * (about 10 ms of zlib) costs far more than putting it into a queue. */
#define WORK_CHUNK (256u * 1024u)

/* What became of one chunk. Equal input gives equal results, whoever computed them. */
struct work_result {
	uint64_t hash;       /* FNV-1a of the bytes read */
	uint64_t in, out;    /* bytes read, bytes after compression */
	uint32_t checksum;   /* CRC-32 of the compressed bytes */
	int error;           /* error number, 0 = done */
};

/* What became of a file beside its chunks. */
struct work_file_result {
	int error;           /* error number of opening it */
	uint64_t stamp;      /* changes when the file does */
};

/* What to do; const while running. */
struct work_plan {
	const struct walk *walk;
	size_t *first;       /* [files + 1]: number of each file's first chunk */
	AO_t *interrupted;   /* not 0: finish early */
};

/* One pass over the plan. */
struct work_pass {
	const struct work_plan *plan;
	struct pool *pool;              /* NULL: serial */
	struct work_result *chunks;
	struct work_file_result *files;
	struct work_stream *streams;    /* one per worker, made when first used */
	unsigned stream_count;
	AO_t files_done, kib_done;      /* for the progress line */
};

struct work_difference {
	uint64_t files;      /* whose results differ though the file is the same */
	uint64_t changed;    /* changed between the passes: not compared */
	uint64_t unreadable; /* could not be opened or read in the second pass */
	uint64_t in, out;    /* bytes of the second pass */
};

/* 0 or ENOMEM. */
int work_plan_init(struct work_plan *plan, const struct walk *walk, AO_t *interrupted);
void work_plan_free(struct work_plan *plan);

int work_pass_init(struct work_pass *pass, const struct work_plan *plan, struct pool *pool);
void work_pass_free(struct work_pass *pass);

/* Works on one file, its chunks in parallel when the pass has a pool. 0, or an error of the
 * pool: those of the file go to its result. */
int work_file(struct work_pass *pass, size_t file);

/* Why a file could not be opened or read, or 0. */
int work_file_error(const struct work_pass *pass, size_t file);

void work_compare(const struct work_pass *reference, const struct work_pass *pass,
	struct work_difference *difference);

#endif
