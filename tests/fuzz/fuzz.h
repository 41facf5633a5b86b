/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target: the function libFuzzer calls, and what the plain driver needs to run the
 * same function a fixed number of times with inputs of its own.
 */
#ifndef SDPOWER_TEST_FUZZ_H
#define SDPOWER_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs to start from, NULL at the end; words that parsers know, NULL at the end. */
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];
/* Inputs the plain driver makes, and how long they get. */
extern const uint32_t fuzz_rounds;
extern const uint32_t fuzz_longest;

/* A property that does not hold; the driver then prints the input. */
#define FUZZ_CHECK(condition) do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* Bytes that steer a target; zeroes once they are used up. */
struct fuzz_input {
	const uint8_t *at, *end;
};

static inline uint32_t fuzz_u8(struct fuzz_input *in)
{
	return in->at < in->end ? *in->at++ : 0u;
}

static inline uint32_t fuzz_u32(struct fuzz_input *in)
{
	uint32_t value = fuzz_u8(in);

	value |= fuzz_u8(in) << 8;
	value |= fuzz_u8(in) << 16;
	return value | fuzz_u8(in) << 24;
}

/* A number that is often small, often at a limit, seldom anything. */
static inline uint32_t fuzz_number(struct fuzz_input *in, uint32_t limit)
{
	const uint32_t kind = fuzz_u8(in);

	switch (kind & 7u) {
	case 0: return UINT32_MAX - (kind >> 3);
	case 1: return limit + (kind >> 3) % 3u - 1u;
	case 2: return fuzz_u32(in);
	default: return limit ? (kind >> 3 | fuzz_u8(in) << 5) % limit : 0u;
	}
}

/* A cpu that exists, mostly. */
static inline uint32_t fuzz_cpu(struct fuzz_input *in, uint32_t cpus)
{
	const uint32_t byte = fuzz_u8(in);

	return byte < 248 ? byte % cpus : fuzz_number(in, cpus);
}

static inline void fuzz_fill(struct fuzz_input *in, void *to, size_t size)
{
	for (unsigned char *byte = to; size--; byte++)
		*byte = (unsigned char)fuzz_u8(in);
}

/* True iff the status is one of the documented codes. */
static inline int fuzz_known_status(sdpower_status status)
{
	return status <= 0 && strcmp(sdpower_strstatus(status), "unknown status") != 0;
}

/* A block whose end is guarded: by the sanitizer, and by bytes nobody may touch. */
struct fuzz_block {
	unsigned char *memory;
	size_t size;
};

#define FUZZ_GUARD 16u

static inline struct fuzz_block fuzz_block_of(size_t size, size_t align)
{
	struct fuzz_block b = { NULL, size };

	b.memory = aligned_alloc(align, (size + FUZZ_GUARD + align - 1) / align * align);
	FUZZ_CHECK(b.memory);
	memset(b.memory, 0xa5, size + FUZZ_GUARD);
	return b;
}

/* Nothing written from `from` to the guard's end. */
static inline void fuzz_check_untouched(const struct fuzz_block *b, size_t from)
{
	for (size_t i = from; i < b->size + FUZZ_GUARD; i++)
		FUZZ_CHECK(b->memory[i] == 0xa5);
}

/* drawn.c: a table of arbitrary fields, all in one piece. */
#define FUZZ_DRAWN_CPUS 24u
#define FUZZ_DRAWN_NODES 20u

struct fuzz_drawn {
	struct sdpower_topology topology;
	struct sdpower_cpu_desc cpus[FUZZ_DRAWN_CPUS];
	uint32_t nodes[FUZZ_DRAWN_NODES], allowed[2050];
	uint16_t distances[FUZZ_DRAWN_NODES * FUZZ_DRAWN_NODES];
	char name[8];
};

void fuzz_draw_table(struct fuzz_input *in, struct fuzz_drawn *drawn);

/* machine.c: a table that a source made: passes the check, survives saving, makes instances. */
void fuzz_machine(const struct sdpower_topology *topology);
/* The same with a table that may be refused. */
void fuzz_table(const struct sdpower_topology *topology);

/* ask.c: what an instance may answer with, and questions drawn from the input. */
struct fuzz_model {
	sdpower *s;
	uint32_t cpus, words;
	uint32_t map[8];   /* cpus in the tree: online, allowed and in a partition */
	struct sdpower_domain handle; /* kept from earlier, perhaps stale */
	int damaged;       /* words hold what no call has stored */
	int one_way;       /* some distance differs from the one back: groups may leave their domain */
};

/* machine.c: sdpower_check finds nothing, or says what. */
void fuzz_check(const sdpower *s);
/* machine.c: the tree as text, to be freed. */
char *fuzz_dump(const sdpower *s, size_t *length);
/* machine.c: distances differ by direction. */
int fuzz_one_way(const struct sdpower_topology *topology);

/* host.c: an instance of arbitrary rules, and what its host believes about it. */
struct fuzz_host {
	struct fuzz_model model;
	struct fuzz_block table, block;
	uint32_t flags;    /* of the configuration */
	uint32_t online[8], allowed[8], partitions[8][8], partition_count, most_partitions;
	int steady;        /* time only goes on */
	int claimed;       /* the host has claimed cpus */
	uint64_t now;
};

/* 0 = such rules are refused; to be dropped anyway. The flags given are added to others. */
int fuzz_host_make(struct fuzz_input *in, struct fuzz_host *h, uint32_t flags);
void fuzz_host_drop(struct fuzz_host *h);
/* Settings of the tree; whatever is refused leaves the host's belief true. */
void fuzz_host_change(struct fuzz_input *in, struct fuzz_host *h);
void fuzz_draw_tunables(struct fuzz_input *in, struct sdpower_tunables *t);

/* publish.c: loads for all cpus at once; what owners and the control side say, and words that nobody has said. */
void fuzz_host_flood(struct fuzz_input *in, struct fuzz_host *h);
void fuzz_host_publish(struct fuzz_input *in, struct fuzz_host *h);
void fuzz_host_damage(struct fuzz_input *in, struct fuzz_host *h);
void fuzz_host_wait(struct fuzz_input *in, struct fuzz_host *h);

/* balance.c: a walk of the balance driver. */
struct fuzz_balance {
	struct fuzz_block block;
	struct sdpower_balance_action action;
	sdpower_cpu cpu, helper;
	uint32_t kind;
	uint64_t now;      /* when it began */
	uint32_t steps;
	int under_way;
	int locked;        /* the one lock is held */
	int refused;       /* it was not to be had at some level */
	int gone;          /* the sleeper had woken */
};

/* 0 = the request is refused. Every action is checked. */
int fuzz_balance_begin(const struct fuzz_model *m, struct fuzz_balance *b,
	const struct sdpower_balance_request *r);
void fuzz_balance_step(struct fuzz_input *in, const struct fuzz_model *m, struct fuzz_balance *b);

void fuzz_ask(struct fuzz_input *in, struct fuzz_model *m);
/* Loads of all cpus together: no answer can want more. */
uint64_t fuzz_load(const struct fuzz_model *m);
/* Every domain, group and span of a cpu's chain. */
void fuzz_walk(const struct fuzz_model *m, sdpower_cpu cpu);

#endif
