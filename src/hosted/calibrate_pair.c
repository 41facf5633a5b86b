/* SPDX-License-Identifier: MIT */
/* Two threads on two cpus, their turns, and the caller who waits for them no longer than it said. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "calibrate_turns.h"

/* What the caller gives threads that are late, in steps of waiting. */
#define GRACE_NS UINT64_C(8000000)

static void drop(struct sdpower_i_turns *t)
{
	sdpower_i_turns_unmap(t);
	pthread_cond_destroy(&t->moved);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* The last one to leave takes the memory along. */
static void leave(struct sdpower_i_turns *t, int is_thread)
{
	int is_last;

	pthread_mutex_lock(&t->lock);
	is_last = --t->holders == 0;
	t->running -= (uint32_t)is_thread;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	if (is_last)
		drop(t);
}

static void *run_first(void *context)
{
	struct sdpower_i_turns *const t = context;

	sdpower_i_turns_first(t);
	leave(t, 1);
	return NULL;
}

static void *run_second(void *context)
{
	struct sdpower_i_turns *const t = context;

	sdpower_i_turns_second(t);
	leave(t, 1);
	return NULL;
}

/* Conditions on the clock that never jumps: 1, or 0 with nothing made. */
static int make_conditions(struct sdpower_i_turns *t)
{
	pthread_condattr_t attributes;
	int good = 0;

	if (pthread_condattr_init(&attributes))
		return 0;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (pthread_cond_init(&t->changed, &attributes) == 0) {
		good = pthread_cond_init(&t->moved, &attributes) == 0;
		if (!good)
			pthread_cond_destroy(&t->changed);
	}
	pthread_condattr_destroy(&attributes);
	return good;
}

static struct sdpower_i_turns *make(const struct sdpower_i_pair *pair)
{
	struct sdpower_i_turns *t = aligned_alloc(SDPOWER_I_APART, sizeof(*t));

	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->pair = *pair;
	t->holders = 1;
	if (pthread_mutex_init(&t->lock, NULL)) {
		free(t);
		return NULL;
	}
	if (!make_conditions(t)) {
		pthread_mutex_destroy(&t->lock);
		free(t);
		return NULL;
	}
	return t;
}

/* Waits until both threads are through, or until then. */
static int wait_until(struct sdpower_i_turns *t, uint64_t time_ns)
{
	int error = 0, is_over;

	pthread_mutex_lock(&t->lock);
	while (t->running && !error)
		error = sdpower_i_turns_wait(t, &t->changed, time_ns);
	is_over = !t->running;
	pthread_mutex_unlock(&t->lock);
	return is_over;
}

/* Counted before it starts, so that it may be over before this returns. */
static int start(struct sdpower_i_turns *t, pthread_t *thread, void *(*run)(void *))
{
	pthread_mutex_lock(&t->lock);
	t->holders++;
	t->running++;
	pthread_mutex_unlock(&t->lock);
	if (t->pair.system->start(thread, run, t) == 0)
		return 1;
	pthread_mutex_lock(&t->lock);
	t->holders--;
	t->running--;
	pthread_mutex_unlock(&t->lock);
	return 0;
}

/* A thread whose cpu does not run it can end on any other one. */
static int collect(struct sdpower_i_turns *t, const pthread_t *thread, uint32_t count)
{
	int is_over = wait_until(t, t->pair.deadline_ns);

	if (!is_over) {
		sdpower_i_turns_stop(t);
		for (uint32_t i = 0; i < count; i++)
			(void)t->pair.system->unpin(thread[i]);
		is_over = wait_until(t, sdpower_i_now() + GRACE_NS);
	}
	for (uint32_t i = 0; i < count; i++)
		(void)(is_over ? pthread_join(thread[i], NULL) : pthread_detach(thread[i]));
	return is_over;
}

void sdpower_i_pair_measure(struct sdpower_i_pair *pair)
{
	struct sdpower_i_turns *const t = make(pair);
	uint32_t count = 0, flags = 0;
	pthread_t thread[2];

	if (!t) {
		pair->flags |= SDPOWER_CALIBRATION_NO_MEMORY;
		return;
	}
	count += (uint32_t)start(t, &thread[count], run_second);
	if (count)
		count += (uint32_t)start(t, &thread[count], run_first);
	if (count < 2) {
		sdpower_i_turns_stop(t);
		flags = SDPOWER_CALIBRATION_NO_THREADS;
	}
	if (collect(t, thread, count)) {
		*pair = t->pair;
		flags |= t->second_flags;
	} else
		flags |= SDPOWER_CALIBRATION_TIMEOUT;
	pair->flags |= flags;
	leave(t, 0);
}
