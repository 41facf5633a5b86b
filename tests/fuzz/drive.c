/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer: drive [SEED [ROUNDS]] makes inputs from the seed,
 * drive FILE.. runs inputs from files, drive --seeds FOLDER writes what libFuzzer starts from.
 * When a property does not hold, or an input takes too long, the round and the input are printed,
 * and the input is left in fuzz-input for a second run.
 */
#include <signal.h>
#include <unistd.h>
#include "fuzz.h"

/* Seconds; a few milliseconds are usual. */
#define TOO_LONG 10u

static const uint8_t *current;
static size_t current_size;
static uint32_t current_round;

static void say_where(int signal_number)
{
	FILE *f = fopen("fuzz-input", "wb");

	fprintf(stderr, "signal %d, round %u, %zu bytes, in file fuzz-input:", signal_number,
		current_round, current_size);
	for (size_t i = 0; i < current_size && i < 300; i++)
		fprintf(stderr, current[i] >= ' ' && current[i] < 127 && current[i] != '\\' ? "%c" :
			"\\x%02x", current[i]);
	fprintf(stderr, "\n");
	if (f) {
		fwrite(current, 1, current_size, f);
		fclose(f);
	}
	_exit(1);
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static const char *pick(uint64_t *seed, const char *const *list)
{
	uint32_t count = 0;

	while (list[count])
		count++;
	return count ? list[draw(seed, count)] : "";
}

/* Makes room at a place, or takes bytes away. */
static size_t resize(uint8_t *to, size_t size, size_t at, size_t cut, size_t put)
{
	if (at + cut > size)
		cut = size - at;
	if (size - cut + put > fuzz_longest)
		put = cut;
	memmove(to + at + put, to + at + cut, size - at - cut);
	return size - cut + put;
}

static size_t mutate(uint64_t *seed, uint8_t *to, size_t size)
{
	const size_t at = draw(seed, (uint32_t)size + 1u);
	const char *word = pick(seed, fuzz_words);
	size_t length = strlen(word), before = size;

	switch (draw(seed, 6)) {
	case 0:
		return resize(to, size, at, 1u + draw(seed, 8), 0);
	case 1:
		size = resize(to, size, at, draw(seed, 2) ? length : 0, length);
		if (size >= before || at + length <= size)
			memcpy(to + at, word, at + length <= size ? length : size - at);
		return size;
	case 2:
		return draw(seed, 16) ? size : at;
	case 3: /* a piece of it again */
		length = size ? draw(seed, (uint32_t)size) % 32u : 0;
		size = resize(to, size, at, 0, length);
		for (size_t i = 0; at + i < size && i < length; i++)
			to[at + i] = to[(at + i + length) % size];
		return size;
	default:
		if (at < size)
			to[at] = (uint8_t)(draw(seed, 3) ? draw(seed, 256) :
				to[at] + draw(seed, 3) - 1u);
		return size;
	}
}

static size_t make(uint64_t *seed, uint8_t *to)
{
	const char *start = pick(seed, fuzz_seeds);
	size_t size = strlen(start);
	uint32_t hits = draw(seed, 8);

	if (size > fuzz_longest)
		size = fuzz_longest;
	memcpy(to, start, size);
	if (!size || !draw(seed, 8)) {
		size = draw(seed, fuzz_longest + 1u);
		for (size_t i = 0; i < size; i++)
			to[i] = (uint8_t)draw(seed, 256);
	}
	while (hits--)
		size = mutate(seed, to, size);
	return size;
}

/* A copy of the exact size: reading past it is then found. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(size ? size : 1, 1);

	if (size)
		memcpy(copy, data, size);
	current = copy;
	current_size = size;
	alarm(TOO_LONG);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int run_files(char **names)
{
	uint8_t *data = malloc(1u << 20);

	for (; *names; names++) {
		FILE *f = fopen(*names, "rb");

		if (!f) {
			perror(*names);
			return 1;
		}
		run(data, fread(data, 1, 1u << 20, f));
		fclose(f);
	}
	free(data);
	return 0;
}

/* For libFuzzer: the seeds as files of a folder, the words as a dictionary. */
static int write_seeds(const char *folder)
{
	/* Some targets make their seeds on first use. */
	run((const uint8_t *)"", 0);
	for (uint32_t i = 0; fuzz_seeds[i]; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/seed%u", folder, i);
		f = fopen(path, "wb");
		if (!f || fputs(fuzz_seeds[i], f) < 0 || fclose(f) != 0) {
			perror(path);
			return 1;
		}
	}
	for (uint32_t i = 0; fuzz_words[i]; i++) {
		putchar('"');
		for (const char *c = fuzz_words[i]; *c; c++)
			printf("\\x%02x", (unsigned char)*c);
		puts("\"");
	}
	return 0;
}

static void run_rounds(uint64_t seed, uint32_t rounds)
{
	uint8_t *data = malloc(fuzz_longest + 1u);

	printf("seed %llu, %u rounds\n", (unsigned long long)seed, rounds);
	fflush(stdout);
	for (current_round = 0; current_round < rounds; current_round++)
		run(data, make(&seed, data));
	free(data);
}

int main(int argc, char **argv)
{
	char *end = argc > 1 ? argv[1] : NULL;
	const uint64_t seed = argc > 1 ? strtoull(argv[1], &end, 10) : 20261130u;

	for (int i = 0; i < 5; i++)
		signal((int[]){ SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGALRM }[i], say_where);
	if (argc == 3 && strcmp(argv[1], "--seeds") == 0)
		return write_seeds(argv[2]);
	if (argc > 1 && *end)
		return run_files(argv + 1);
	run_rounds(seed, argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : fuzz_rounds);
	return 0;
}
