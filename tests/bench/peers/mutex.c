/* SPDX-License-Identifier: MIT */
/* A floor: the pool of every textbook, one queue under one mutex with one condition variable. */
#include <pthread.h>
#include "peer_load.h"
#include "ring.h"
#include "tally.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct ring queue;
static bool closing;

static void *serve(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		struct peer_task *t;

		while (ring_empty(&queue) && !closing)
			pthread_cond_wait(&work, &lock);
		if (ring_empty(&queue))
			break;
		t = ring_take(&queue);
		pthread_mutex_unlock(&lock);
		t->run(t);
		tally_finished();
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void submit(struct peer_task *t)
{
	tally_begun();
	pthread_mutex_lock(&lock);
	ring_put(&queue, t);
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&work);
}

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	pthread_t thread[PEER_MOST_THREADS];

	(void)outside;
	for (unsigned i = 0; i < threads; i++)
		peer_need(!pthread_create(&thread[i], NULL, serve, NULL), "a thread");
	body(arg);
	pthread_mutex_lock(&lock);
	closing = true;
	pthread_mutex_unlock(&lock);
	pthread_cond_broadcast(&work);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	free(queue.slot);
	return 0;
}

const struct peer peer = { .with = with, .submit = submit, .wait = tally_wait, .nested = true };
