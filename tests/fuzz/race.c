/* SPDX-License-Identifier: MIT */
/*
 * Description: another thread stores words of any value into slots, sums and what else cpus
 * publish, without ever stopping, while questions are asked and walks made: answers stay within
 * affinity, online and allowed, walks end. CI runs it under the thread sanitizer.
 * race [SEED [ROUNDS]]
 */
#include <pthread.h>
#include <sched.h>
#include "fuzz.h"
#include "decide/driver.h"

#define ROUNDS 30u
#define INPUT 16000u

struct writer {
	sdpower *s;
	uint64_t seed;
	uint32_t running; /* the asking thread clears it */
	uint32_t passes;  /* of the writing thread */
};

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 32);
}

/* Often small or a limit, so that a word is taken for what it is not. */
static uint32_t garbage(uint64_t *seed)
{
	const uint32_t kind = draw(seed);

	switch (kind & 7u) {
	case 0: return UINT32_MAX - (kind >> 24);
	case 1: return SDPOWER_LOAD_MAX + (kind >> 30);
	case 2: return draw(seed);
	default: return kind >> 24;
	}
}

static void spoil(uint32_t *words, size_t bytes, uint64_t *seed)
{
	sdpower_i_store(&words[draw(seed) % (bytes / sizeof(*words))], garbage(seed));
}

/* A record that keeps saying it is up to date. */
static void spoil_record(struct sdpower_i_record *record, uint32_t generation, uint64_t *seed)
{
	spoil((uint32_t *)(void *)record, sizeof(*record), seed);
	sdpower_i_store(&record->serial, generation);
	sdpower_i_store(&record->seq, 1u);
}

static void *write_garbage(void *context)
{
	struct writer *w = context;
	sdpower *s = w->s;
	const uint32_t generation = sdpower_i_load(&s->forest.generation);

	while (sdpower_i_load_acquire(&w->running)) {
		const uint32_t pos = draw(&w->seed) % s->forest.cpu_count;
		const uint32_t block = s->forest.block_at[pos];

		spoil((uint32_t *)(void *)&s->slots[pos], sizeof(s->slots[pos]), &w->seed);
		spoil_record(&s->records[block], generation, &w->seed);
		spoil((uint32_t *)(void *)&s->rests[block], sizeof(s->rests[block]), &w->seed);
		spoil((uint32_t *)(void *)&s->outside[pos], sizeof(s->outside[pos]), &w->seed);
		sdpower_i_store(draw(&w->seed) & 1u ? &s->nominee : &s->searcher, garbage(&w->seed));
		sdpower_i_store(&w->passes, w->passes + 1u);
	}
	return NULL;
}

static void walk(struct fuzz_input *in, struct fuzz_host *h, struct fuzz_balance *b)
{
	const struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = fuzz_u8(in) % 3u,
		.cpu = fuzz_u8(in) % h->model.cpus, .helper = SDPOWER_CPU_NONE, .idle = fuzz_u8(in) % 2u,
		.now_ns = h->now };

	h->now += 1000000;
	if (fuzz_balance_begin(&h->model, b, &r))
		while (b->under_way)
			fuzz_balance_step(in, &h->model, b);
}

/* On few cpus the two would run one after the other. */
static void let_write(const struct writer *w)
{
	const uint32_t before = sdpower_i_load(&w->passes);

	while (sdpower_i_load(&w->passes) == before)
		sched_yield();
}

static void ask(struct fuzz_input *in, struct fuzz_host *h, uint64_t seed)
{
	struct writer w = { .s = h->model.s, .seed = seed, .running = 1 };
	struct fuzz_balance b = { .block = fuzz_block_of(sdpower_balance_size(w.s), 8) };
	pthread_t thread;

	h->model.damaged = 1;
	FUZZ_CHECK(!pthread_create(&thread, NULL, write_garbage, &w));
	for (uint32_t i = 0; in->at < in->end; i++) {
		if (i % 8u == 0)
			let_write(&w);
		if (fuzz_u8(in) % 4u)
			fuzz_ask(in, &h->model);
		else
			walk(in, h, &b);
	}
	sdpower_i_store_release(&w.running, 0);
	FUZZ_CHECK(!pthread_join(thread, NULL));
	fuzz_check_untouched(&b.block, b.block.size);
	free(b.block.memory);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261201u;
	const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : ROUNDS;
	static uint8_t data[INPUT];

	for (uint32_t round = 0; round < rounds; round++, seed++) {
		uint64_t random = seed;
		struct fuzz_input in = { data, data + INPUT };
		struct fuzz_host h;

		printf("seed %llu\n", (unsigned long long)seed);
		fflush(stdout);
		for (uint32_t i = 0; i < INPUT; i++)
			data[i] = (uint8_t)(draw(&random) >> 16);
		if (fuzz_host_make(&in, &h, SDPOWER_CONFIG_DRIVER)) {
			fuzz_host_flood(&in, &h);
			ask(&in, &h, random);
		}
		fuzz_host_drop(&h);
	}
	return 0;
}
