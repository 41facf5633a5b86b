/* SPDX-License-Identifier: MIT */
/*
 * What the machine takes before a pool has done anything: below that no pool gets. Steps of a
 * single thread; a cache line that goes to and fro between two cpus; and a sleeper, on the waker's
 * cpu and on another one. Medians in ns, with 95 per cent bounds by rank.
 */
#define _GNU_SOURCE 1 /* pinning has no portable name */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "bench_cpus.h"
#include "port.h"
#include "summary.h"

#define ROUNDS 31
#define CALLS 20000u
#define TURNS 2000u
#define WAKES 301

static unsigned cpus[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t word, turn, done;
static uint64_t woken;

static void futex_wait(uint32_t *at, uint32_t value)
{
	syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(uint32_t *at)
{
	syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void take_clock(void *context)
{
	(void)context;
	(void)bench_now();
}

static void take_mutex(void *context)
{
	(void)context;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void swap_word(void *context)
{
	(void)context;
	(void)__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
}

static void relax(void *context)
{
	(void)context;
#if defined(__i386__) || defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static void wake_nobody(void *context)
{
	(void)context;
	futex_wake(&word);
}

static void print_row(const char *name, double *sample, int n)
{
	const struct bench_summary s = bench_summarise(sample, n);

	printf("%s\t%.1f\t%.1f\t%.1f\n", name, s.median, s.low, s.high);
}

static void print_step(const char *name, void (*call)(void *))
{
	double round[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		round[i] = bench_round(call, NULL, CALLS);
	print_row(name, round, ROUNDS);
}

/* Who has the number of the turn's parity writes the next one. */
static void play(uint32_t parity)
{
	for (uint32_t next = parity; next < TURNS; next += 2) {
		while (sdpower_i_load_acquire(&turn) != next)
			;
		sdpower_i_store_release(&turn, next + 1);
	}
}

static void *other_side(void *context)
{
	(void)context;
	bench_pin(cpus[1]);
	play(1);
	return NULL;
}

/* From a store of one cpu to the other one's store in answer. */
static int print_line(void)
{
	double round[ROUNDS];
	pthread_t other;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin;

		sdpower_i_store(&turn, 0);
		if (pthread_create(&other, NULL, other_side, NULL))
			return EXIT_FAILURE;
		/* The first turns only wait for the other thread to begin. */
		while (sdpower_i_load_acquire(&turn) < 2)
			if (sdpower_i_load_acquire(&turn) == 0)
				sdpower_i_store_release(&turn, 1);
		begin = bench_now();
		play(2);
		round[i] = (double)(bench_now() - begin) / (TURNS - 2);
		pthread_join(other, NULL);
	}
	print_row("line", round, ROUNDS);
	return EXIT_SUCCESS;
}

/* Sleeps until the turn is another one, notes when that was, and says so; UINT32_MAX ends it. */
static void *sleeper(void *cpu)
{
	uint32_t last = 0;

	bench_pin(*(unsigned *)cpu);
	for (;;) {
		uint32_t now;

		while ((now = sdpower_i_load_acquire(&turn)) == last)
			futex_wait(&turn, last);
		woken = bench_now();
		last = now;
		sdpower_i_store_release(&done, now);
		futex_wake(&done);
		if (now == UINT32_MAX)
			return NULL;
	}
}

static void pause_us(unsigned us)
{
	const struct timespec t = { 0, (long)us * 1000 };

	nanosleep(&t, NULL);
}

/* The call returns when the sleeper has been told; it ran when it had read the clock. The waker
 * waits asleep: on one cpu the sleeper runs only then. */
static void wake(uint32_t number, double *call, double *ran)
{
	const uint64_t begin = bench_now();
	uint32_t seen;

	sdpower_i_store_release(&turn, number);
	futex_wake(&turn);
	*call = (double)(bench_now() - begin);
	while ((seen = sdpower_i_load_acquire(&done)) != number)
		futex_wait(&done, seen);
	*ran = (double)(woken - begin);
}

/* After pauses of `us`: in a short one a cpu does not sleep as deeply. */
static int print_wakes(const char *where, unsigned cpu, unsigned us)
{
	double call[WAKES], ran[WAKES], ignored;
	pthread_t thread;
	char name[64];

	turn = done = 0;
	if (pthread_create(&thread, NULL, sleeper, &cpu))
		return EXIT_FAILURE;
	for (uint32_t i = 0; i < WAKES; i++) {
		pause_us(us);
		wake(i + 1, &call[i], &ran[i]);
	}
	wake(UINT32_MAX, &ignored, &ignored);
	pthread_join(thread, NULL);
	snprintf(name, sizeof(name), "wake_%s_call_%uus", where, us);
	print_row(name, call, WAKES);
	snprintf(name, sizeof(name), "wake_%s_ran_%uus", where, us);
	print_row(name, ran, WAKES);
	return EXIT_SUCCESS;
}

int main(void)
{
	static const unsigned pauses[] = { 20, 1000, 10000 };
	int status;

	if (!bench_two_cpus(cpus))
		return bench_skip("needs two cpus");
	bench_pin(cpus[0]);
	puts("floor\tns\tlow\thigh");
	print_step("clock", take_clock);
	print_step("mutex", take_mutex);
	print_step("atomic", swap_word);
	print_step("pause", relax);
	print_step("wake_nobody", wake_nobody);
	status = print_line();
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		status |= print_wakes("same", cpus[0], pauses[i]);
		status |= print_wakes("across", cpus[1], pauses[i]);
	}
	return status;
}
