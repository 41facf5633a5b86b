/* SPDX-License-Identifier: MIT */
/* A stand-in for the library: wakes the lowest idle worker, steals round robin. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include "atomic.h"
#include "brain.h"

enum { AWAKE, IDLE, CLAIMED };

struct brain {
	struct brain_machine machine;
	struct brain_seat *seats;
	AO_t *state;
	AO_t next;
};

static const char *const level_names[BRAIN_LEVELS] = { "performance", "balanced", "powersave" };

const char *brain_level_name(enum brain_level level)
{
	return level_names[level];
}

static void seat_all(struct brain *b, const cpu_set_t *allowed)
{
	uint32_t worker = 0;
	size_t cpu = 0;

	while (worker < b->machine.workers) {
		if (CPU_ISSET(cpu, allowed)) {
			b->seats[worker] = (struct brain_seat){
				.cpu = worker, .os_id = (uint32_t)cpu, .core = worker % b->machine.cores,
				.pinnable = true,
			};
			worker++;
		}
		cpu = (cpu + 1) % CPU_SETSIZE;
	}
}

int brain_open(struct brain **out, const char *topology, unsigned threads,
	enum brain_level level, char *why, size_t size)
{
	cpu_set_t allowed;
	struct brain *b;
	uint32_t n;

	if (topology || level >= BRAIN_LEVELS) {
		snprintf(why, size, "only this machine is known");
		return EINVAL;
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return errno;
	n = (uint32_t)CPU_COUNT(&allowed);
	b = calloc(1, sizeof(*b));
	if (!b)
		return ENOMEM;
	b->machine = (struct brain_machine){ .workers = threads ? threads : n, .cpus = n, .cores = n,
		.packages = 1, .real_cpus = n };
	b->seats = calloc(b->machine.workers, sizeof(*b->seats));
	b->state = calloc(b->machine.workers, sizeof(*b->state));
	if (!b->seats || !b->state) {
		brain_close(b);
		return ENOMEM;
	}
	seat_all(b, &allowed);
	*out = b;
	return 0;
}

void brain_close(struct brain *b)
{
	free(b->seats);
	free(b->state);
	free(b);
}

const struct brain_machine *brain_machine(const struct brain *b)
{
	return &b->machine;
}

const struct brain_seat *brain_seat(const struct brain *b, uint32_t worker)
{
	return &b->seats[worker];
}

int brain_set_level(struct brain *b, enum brain_level level)
{
	(void)b;
	return level < BRAIN_LEVELS ? 0 : EINVAL;
}

void brain_publish(struct brain *b, uint32_t worker, uint32_t nr)
{
	(void)b;
	(void)worker;
	(void)nr;
}

void brain_idle(struct brain *b, uint32_t worker, bool idle, uint64_t now)
{
	(void)now;
	AO_store_release(&b->state[worker], idle ? IDLE : AWAKE);
}

uint32_t brain_whom_to_wake(struct brain *b, uint32_t submitter, uint32_t home)
{
	uint32_t worker;

	(void)home;
	for (worker = 0; worker < b->machine.workers; worker++)
		if (worker != submitter && AO_load_acquire(&b->state[worker]) == IDLE &&
		    AO_compare_and_swap_full(&b->state[worker], IDLE, CLAIMED))
			return worker;
	return BRAIN_NOBODY;
}

uint32_t brain_place(struct brain *b)
{
	return (uint32_t)(AO_fetch_and_add1_full(&b->next) % b->machine.workers);
}

uint32_t brain_busiest(struct brain *b, uint32_t worker, uint32_t step, uint32_t *amount)
{
	*amount = 1;
	if (step + 1 >= b->machine.workers)
		return BRAIN_NOBODY;
	return (worker + 1 + step) % b->machine.workers;
}

void brain_searched(struct brain *b, uint32_t worker, uint64_t cost, bool found, uint64_t now)
{
	(void)b;
	(void)worker;
	(void)cost;
	(void)found;
	(void)now;
}

void brain_tick(struct brain *b, uint32_t worker, uint64_t now)
{
	(void)b;
	(void)worker;
	(void)now;
}
