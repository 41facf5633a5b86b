/* SPDX-License-Identifier: MIT */
/*
 * Put before every source of the pool: its atomic operations, locks, conditions, threads and clock are
 * those of the explorer, each a point at which another thread may go on. See explorer.c.
 */
#ifndef WEAVE_H
#define WEAVE_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* In the place of libatomic_ops, of which the pool uses this much. */
#define AO_ATOMIC_OPS_H
typedef size_t AO_t;

AO_t weave_load(const volatile AO_t *word);
void weave_store(volatile AO_t *word, AO_t value);
AO_t weave_add(volatile AO_t *word, AO_t value);
int weave_swap(volatile AO_t *word, AO_t from, AO_t to);
void weave_fence(void);

#define AO_load weave_load
#define AO_load_acquire weave_load
#define AO_store weave_store
#define AO_store_release weave_store
#define AO_fetch_and_add_full weave_add
#define AO_fetch_and_add1_full(word) weave_add(word, 1)
#define AO_fetch_and_sub1_full(word) weave_add(word, (AO_t)0 - 1)
#define AO_compare_and_swap_full weave_swap
#define AO_nop_full weave_fence

int weave_mutex_init(pthread_mutex_t *m);
int weave_mutex_destroy(pthread_mutex_t *m);
int weave_mutex_lock(pthread_mutex_t *m);
int weave_mutex_unlock(pthread_mutex_t *m);
int weave_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int weave_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int weave_cond_wake(pthread_cond_t *c, bool all);
int weave_create(pthread_t *thread, void *(*body)(void *), void *arg);
int weave_join(pthread_t thread, void **result);
int weave_clock(struct timespec *now);
void **weave_own(void);

#define pthread_mutex_init(m, attr) weave_mutex_init(m)
#define pthread_mutex_destroy weave_mutex_destroy
#define pthread_mutex_lock weave_mutex_lock
#define pthread_mutex_unlock weave_mutex_unlock
#define pthread_cond_init(c, attr) ((void)(c), 0)
#define pthread_cond_destroy(c) ((void)(c), 0)
#define pthread_cond_wait weave_cond_wait
#define pthread_cond_timedwait weave_cond_timedwait
#define pthread_cond_signal(c) weave_cond_wake(c, false)
#define pthread_cond_broadcast(c) weave_cond_wake(c, true)
#define pthread_create(thread, attr, body, arg) weave_create(thread, body, arg)
#define pthread_join weave_join
#define pthread_setname_np(thread, name) 0
#define pthread_setaffinity_np(thread, size, set) ((void)(size), (void)(set), 0)
#define clock_gettime(id, t) ((void)(id), weave_clock(t))
#define sched_getcpu() 0

/* The one variable of the pool that is each thread's own: its declaration becomes another one of
 * this function. */
struct worker;

static inline struct worker **weave_this_worker(void)
{
	return (struct worker **)weave_own();
}

#define _Thread_local
#define this_worker (*weave_this_worker())

/* For scenarios: until the word is not 0; as long as anybody else can go on; from now on every order is
 * tried, or none; what is wrong. */
void weave_wait_for(const AO_t *word);
void weave_settle(void);
void weave_explore(bool yes);
void weave_claim(bool holds, const char *what);

#endif
