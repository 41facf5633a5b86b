/* SPDX-License-Identifier: MIT */
/*
 * Every order in which threads can go on, up to a number of departures from a plain one.
 *
 * Threads are coroutines of one thread of the system. The plain order lets one run until it has to
 * wait, and then the next one that can go on. A departure is one of these: another thread goes on
 * before an atomic operation or a lock; at a wait another one than the next; a store stays in the
 * buffer of its cpu, with those after it, until the next full fence, locked operation or lock; a sleep
 * ends by time. All schedules with up to so many departures are run, each from the beginning.
 *
 * What it does not see: that loads are reordered or that stores overtake each other, which x86 does
 * not do; what happens inside the library, whose calls are single steps (it has models of its own).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include "explorer.h"
#include "path.h"
#include "weave.h"

#define MOST_THREADS 8
#define STACK (256u << 10)
#define MOST_STORES 64
/* Longer than any scenario takes: somebody waits for what never comes, and looks again and again. */
#define MOST_STEPS 200000u
/* Between two looks at the clock: lingering ends after a few. */
#define TICK_NS 4000u

enum state { READY, ON_MUTEX, ON_COND, ON_TIMED_COND, ON_WORD, ON_THREAD, ENDED };

struct thread {
	ucontext_t context;
	char *stack;
	enum state state;
	const void *on;          /* mutex, condition, word or thread */
	void *(*body)(void *);
	void *arg, *result, *own;
	bool timed_out;
	struct { volatile AO_t *word; AO_t value; } buffer[MOST_STORES];
	int buffered;
};

/* A mutex in the memory of a pthread_mutex_t. */
struct mutex {
	uint32_t magic, owner; /* 1 + thread, 0 = free */
};

#define MUTEX_MAGIC 0x6d757478u

static struct thread threads[MOST_THREADS];
static int thread_count, current;
static ucontext_t home;
static const struct weave_run *now_running;
static bool exploring;
static uint64_t clock_ns;
static unsigned steps;

static void fail(const char *what)
{
	int i;

	printf("weave: %s: %s; thread %d runs\n", now_running->name, what, current);
	for (i = 0; i < thread_count; i++)
		printf("    thread %d: state %d on %p, %d stores kept\n", i, threads[i].state,
			threads[i].on, threads[i].buffered);
	printf("again: weave %s ", now_running->name);
	path_print(stdout);
	exit(EXIT_FAILURE);
}

void weave_claim(bool holds, const char *what)
{
	if (!holds)
		fail(what);
}

static void tell(const char *what, const void *on)
{
	if (now_running->only && exploring)
		printf("%6u thread %d %s %p\n", path_position(), current, what, on);
}

static unsigned choose(unsigned count)
{
	return exploring ? path_choose(count) : 0;
}

static void drain(struct thread *t)
{
	int i;

	for (i = 0; i < t->buffered; i++)
		*t->buffer[i].word = t->buffer[i].value;
	t->buffered = 0;
}

static bool can_go_on(const struct thread *t)
{
	switch (t->state) {
	case READY:
		return true;
	case ON_MUTEX:
		return !((const struct mutex *)t->on)->owner;
	case ON_WORD:
		return *(const AO_t *)t->on != 0;
	case ON_THREAD:
		return ((const struct thread *)t->on)->state == ENDED;
	default:
		return false;
	}
}

/* As long as it sleeps, time is all that can end it. */
static bool may_time_out(const struct thread *t)
{
	return t->state == ON_TIMED_COND && now_running->timeouts && exploring;
}

/* Those that could go on, the next ones after this one first, it itself last. */
static unsigned others(int *list, bool (*can)(const struct thread *))
{
	unsigned n = 0;
	int i;

	for (i = 1; i <= thread_count; i++) {
		const int k = (current + i) % thread_count;

		if (can(&threads[k]))
			list[n++] = k;
	}
	return n;
}

static void go_on(int next)
{
	struct thread *from = &threads[current], *to = &threads[next];

	if (to->state == ON_TIMED_COND) {
		to->timed_out = true;
		clock_ns += 1000000;
	}
	to->state = READY;
	if (next == current)
		return;
	current = next;
	swapcontext(&from->context, &to->context);
}

/* Before whatever others may see: somebody else may come first. */
static void point(const char *what, const void *on)
{
	int list[2 * MOST_THREADS];
	unsigned n, pick;

	if (!exploring)
		return;
	if (++steps > MOST_STEPS)
		fail("does not end");
	n = others(list, can_go_on) - 1;
	n += others(list + n, may_time_out);
	pick = choose(1 + n);
	if (pick)
		go_on(list[pick - 1]);
	tell(what, on);
}

/* Until it can go on. */
static void block(enum state state, const void *on)
{
	int list[2 * MOST_THREADS];
	unsigned n;

	drain(&threads[current]);
	threads[current].state = state;
	threads[current].on = on;
	n = others(list, can_go_on);
	n += others(list + n, may_time_out);
	if (!n)
		fail("nobody can go on");
	go_on(list[choose(n)]);
}

AO_t weave_load(const volatile AO_t *word)
{
	const struct thread *t = &threads[current];
	int i;

	point("loads", (const void *)word);
	for (i = t->buffered; i-- > 0;)
		if (t->buffer[i].word == word)
			return t->buffer[i].value;
	return *word;
}

void weave_store(volatile AO_t *word, AO_t value)
{
	struct thread *t = &threads[current];

	point("stores", (const void *)word);
	if (t->buffered == MOST_STORES)
		drain(t);
	if (!t->buffered && !choose(2)) {
		*word = value;
		return;
	}
	t->buffer[t->buffered].word = word;
	t->buffer[t->buffered++].value = value;
}

void weave_fence(void)
{
	drain(&threads[current]);
}

AO_t weave_add(volatile AO_t *word, AO_t value)
{
	AO_t before;

	point("adds to", (const void *)word);
	drain(&threads[current]);
	before = *word;
	*word = before + value;
	return before;
}

int weave_swap(volatile AO_t *word, AO_t from, AO_t to)
{
	point("swaps", (const void *)word);
	drain(&threads[current]);
	if (*word != from)
		return 0;
	*word = to;
	return 1;
}

static struct mutex *mutex_of(pthread_mutex_t *m)
{
	struct mutex *mutex = (struct mutex *)(void *)m;

	if (mutex->magic != MUTEX_MAGIC)
		fail("a lock that there is not, or no longer");
	return mutex;
}

int weave_mutex_init(pthread_mutex_t *m)
{
	*(struct mutex *)(void *)m = (struct mutex){ MUTEX_MAGIC, 0 };
	return 0;
}

int weave_mutex_destroy(pthread_mutex_t *m)
{
	weave_claim(!mutex_of(m)->owner, "a lock ends that somebody holds");
	mutex_of(m)->magic = 0;
	return 0;
}

int weave_mutex_lock(pthread_mutex_t *m)
{
	struct mutex *mutex = mutex_of(m);

	point("locks", m);
	drain(&threads[current]);
	while (mutex->owner)
		block(ON_MUTEX, mutex);
	mutex_of(m)->owner = (uint32_t)current + 1;
	return 0;
}

int weave_mutex_unlock(pthread_mutex_t *m)
{
	weave_claim(mutex_of(m)->owner == (uint32_t)current + 1, "a lock is not held");
	drain(&threads[current]);
	mutex_of(m)->owner = 0;
	point("has unlocked", m);
	return 0;
}

static int wait(pthread_cond_t *c, pthread_mutex_t *m, enum state state)
{
	struct thread *t = &threads[current];

	t->timed_out = false;
	mutex_of(m)->owner = 0;
	tell("waits on", c);
	block(state, c);
	while (mutex_of(m)->owner)
		block(ON_MUTEX, mutex_of(m));
	mutex_of(m)->owner = (uint32_t)current + 1;
	return t->timed_out ? ETIMEDOUT : 0;
}

int weave_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return wait(c, m, ON_COND);
}

int weave_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	(void)until;
	return wait(c, m, ON_TIMED_COND);
}

int weave_cond_wake(pthread_cond_t *c, bool all)
{
	int i;

	point("wakes", c);
	drain(&threads[current]);
	for (i = 0; i < thread_count; i++)
		if ((threads[i].state == ON_COND || threads[i].state == ON_TIMED_COND) &&
		    threads[i].on == c) {
			threads[i].state = READY;
			if (!all)
				break;
		}
	return 0;
}

static void begin(void)
{
	struct thread *t = &threads[current];

	t->result = t->body(t->arg);
	if (t == threads)
		swapcontext(&t->context, &home);
	block(ENDED, NULL);
}

static void new_thread(void *(*body)(void *), void *arg)
{
	struct thread *t = &threads[thread_count];
	char *stack = t->stack ? t->stack : malloc(STACK);

	if (!stack)
		abort();
	*t = (struct thread){ .stack = stack, .state = READY, .body = body, .arg = arg };
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = stack;
	t->context.uc_stack.ss_size = STACK;
	makecontext(&t->context, begin, 0);
	thread_count++;
}

int weave_create(pthread_t *thread, void *(*body)(void *), void *arg)
{
	weave_claim(thread_count < MOST_THREADS, "too many threads");
	*thread = (pthread_t)thread_count;
	new_thread(body, arg);
	point("has begun", NULL);
	return 0;
}

int weave_join(pthread_t thread, void **result)
{
	struct thread *t = &threads[thread];

	while (t->state != ENDED)
		block(ON_THREAD, t);
	if (result)
		*result = t->result;
	return 0;
}

int weave_clock(struct timespec *now)
{
	clock_ns += TICK_NS;
	now->tv_sec = (time_t)(clock_ns / 1000000000u);
	now->tv_nsec = (long)(clock_ns % 1000000000u);
	return 0;
}

void **weave_own(void)
{
	return &threads[current].own;
}

void weave_wait_for(const AO_t *word)
{
	while (!weave_load(word))
		block(ON_WORD, (const void *)word);
}

void weave_settle(void)
{
	int list[MOST_THREADS];

	while (others(list, can_go_on) > 1)
		go_on(list[0]);
}

void weave_explore(bool yes)
{
	exploring = yes;
}

static void *run_body(void *run)
{
	((const struct weave_run *)run)->body();
	return NULL;
}

static void run_once(const struct weave_run *run)
{
	thread_count = 0;
	current = 0;
	path_begin(run->bound);
	steps = 0;
	clock_ns = 0;
	exploring = false;
	new_thread(run_body, (void *)(uintptr_t)run);
	swapcontext(&home, &threads[0].context);
}

uint64_t weave_run(const struct weave_run *run)
{
	uint64_t schedules = 0;

	now_running = run;
	path_read(run->only ? run->only : "");
	do {
		run_once(run);
		schedules++;
	} while (!run->only && path_next());
	return schedules;
}
