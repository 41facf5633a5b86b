/* SPDX-License-Identifier: MIT */
/* Keeping events, and writing them down. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "worker.h"

static const char *const names[TRACE_KINDS] = { "run", "sleep", "look", "steal", "wake" };

struct trace *trace_new(size_t events)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->ring = calloc(events, sizeof(*t->ring));
	t->capacity = events;
	if (!t->ring || pthread_mutex_init(&t->lock, NULL)) {
		free(t->ring);
		free(t);
		return NULL;
	}
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	free(t->ring);
	free(t);
}

void trace_add(struct trace *t, const struct trace_event *event)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ring[t->next++ % t->capacity] = *event;
	pthread_mutex_unlock(&t->lock);
}

/* Microseconds with three places: the format knows no finer unit. */
static void print_time(FILE *out, const char *name, uint64_t ns)
{
	fprintf(out, ", \"%s\": %" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static void print_args(const struct trace_event *e, FILE *out)
{
	switch (e->kind) {
	case TRACE_RUN:
		fprintf(out, ", \"args\": {\"fn\": \"0x%" PRIxPTR "\"}", e->what);
		break;
	case TRACE_STEAL:
		fprintf(out, ", \"args\": {\"from\": %" PRIu32 ", \"tasks\": %" PRIuPTR "}",
			e->who, e->what);
		break;
	case TRACE_WAKE:
		fprintf(out, ", \"args\": {\"for\": %" PRIu32 "}", e->who);
		break;
	default:
		break;
	}
}

static void print_event(const struct trace_event *e, uint32_t worker, FILE *out)
{
	const bool moment = e->kind == TRACE_STEAL || e->kind == TRACE_WAKE;

	fprintf(out, ",\n{\"name\": \"%s\", \"ph\": \"%s\", \"pid\": 1, \"tid\": %" PRIu32,
		names[e->kind], moment ? "i" : "X", worker);
	print_time(out, "ts", e->begin);
	if (moment)
		fputs(", \"s\": \"t\"", out);
	else
		print_time(out, "dur", e->end - e->begin);
	print_args(e, out);
	fputc('}', out);
}

static void print_worker(struct worker *w, FILE *out)
{
	const struct brain_seat *seat = brain_seat(w->pool->brain, w->index);
	struct trace *t = w->trace;
	uint64_t i;

	fprintf(out, ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %" PRIu32
		", \"args\": {\"name\": \"worker %" PRIu32 ", cpu %" PRIu32 ", core %" PRIu32
		", package %" PRIu32 "\"}}", w->index, w->index, seat->cpu, seat->core,
		seat->package);
	pthread_mutex_lock(&t->lock);
	for (i = t->next > t->capacity ? t->next - t->capacity : 0; i < t->next; i++)
		print_event(&t->ring[i % t->capacity], w->index, out);
	pthread_mutex_unlock(&t->lock);
}

int pool_trace_write(struct pool *p, FILE *out)
{
	uint32_t i;

	if (!p->workers[0].trace)
		return ENODATA;
	if (pool_is_forked(p))
		return ESRCH;
	fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
		"{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, "
		"\"args\": {\"name\": \"pool\"}}", out);
	for (i = 0; i < p->count; i++)
		print_worker(&p->workers[i], out);
	fputs("\n]}\n", out);
	return fflush(out) || ferror(out) ? EIO : 0;
}
