/* SPDX-License-Identifier: MIT */
/* Compression with zlib, a 64-bit hash, and the comparison of two passes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "work.h"

#define BUFFER 32768u

/* Compression state is a quarter of a megabyte: made anew for every small file it would cost
 * more page faults than compressing. */
struct work_stream {
	z_stream z;
	bool ready;
};

struct chunk_task {
	struct work_pass *pass;
	int fd;
	uint64_t offset, length;
	struct work_result *result;
};

int work_plan_init(struct work_plan *plan, const struct walk *walk, AO_t *interrupted)
{
	size_t i, next = 0;

	plan->walk = walk;
	plan->interrupted = interrupted;
	plan->first = calloc(walk->count + 1, sizeof(*plan->first));
	if (!plan->first)
		return ENOMEM;
	for (i = 0; i < walk->count; i++) {
		plan->first[i] = next;
		/* An empty file is still opened and compressed. */
		next += 1;
		if (walk->files[i].size)
			next += (size_t)((walk->files[i].size - 1) / WORK_CHUNK);
	}
	plan->first[walk->count] = next;
	return 0;
}

void work_plan_free(struct work_plan *plan)
{
	free(plan->first);
}

int work_pass_init(struct work_pass *pass, const struct work_plan *plan, struct pool *pool)
{
	size_t files = plan->walk->count;

	memset(pass, 0, sizeof(*pass));
	pass->plan = plan;
	pass->pool = pool;
	pass->chunks = calloc(plan->first[files] + 1, sizeof(*pass->chunks));
	pass->files = calloc(files + 1, sizeof(*pass->files));
	pass->stream_count = pool ? pool_workers(pool) : 1;
	pass->streams = calloc(pass->stream_count, sizeof(*pass->streams));
	if (pass->chunks && pass->files && pass->streams)
		return 0;
	work_pass_free(pass);
	return ENOMEM;
}

void work_pass_free(struct work_pass *pass)
{
	unsigned i;

	for (i = 0; pass->streams && i < pass->stream_count; i++)
		if (pass->streams[i].ready)
			deflateEnd(&pass->streams[i].z);
	free(pass->streams);
	free(pass->chunks);
	free(pass->files);
}

static uint64_t fnv1a(uint64_t hash, const unsigned char *bytes, size_t n)
{
	while (n-- > 0)
		hash = (hash ^ *bytes++) * 0x100000001b3u;
	return hash;
}

static int drain(z_stream *z, int flush, struct work_result *r)
{
	unsigned char out[BUFFER];
	int status;

	do {
		z->next_out = out;
		z->avail_out = sizeof(out);
		status = deflate(z, flush);
		r->out += sizeof(out) - z->avail_out;
		r->checksum = (uint32_t)crc32(r->checksum, out, (uInt)(sizeof(out) - z->avail_out));
	} while (z->avail_out == 0);
	/* Z_BUF_ERROR only says that there was nothing left to do. */
	return status == Z_STREAM_ERROR ? EINVAL : 0;
}

static ssize_t read_at(int fd, unsigned char *buffer, size_t n, uint64_t offset)
{
	ssize_t got;

	do {
		got = pread(fd, buffer, n, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got;
}

static int stream_chunk(const struct chunk_task *t, z_stream *z)
{
	struct work_result *r = t->result;
	unsigned char in[BUFFER];
	int error;

	while (r->in < t->length) {
		uint64_t left = t->length - r->in;
		size_t want = left < BUFFER ? (size_t)left : BUFFER;
		ssize_t got = read_at(t->fd, in, want, t->offset + r->in);

		if (got < 0)
			return errno;
		if (got == 0)
			break;
		r->hash = fnv1a(r->hash, in, (size_t)got);
		r->in += (uint64_t)got;
		z->next_in = in;
		z->avail_in = (uInt)got;
		error = drain(z, Z_NO_FLUSH, r);
		if (error)
			return error;
	}
	return drain(z, Z_FINISH, r);
}

/* The stream of the worker that asks, ready for new data. Nothing waits while it is used, so
 * a worker never needs two. */
static z_stream *fresh_stream(struct work_pass *pass)
{
	struct work_stream *s = &pass->streams[pass->pool ? pool_self(pass->pool) : 0];

	if (s->ready)
		return deflateReset(&s->z) == Z_OK ? &s->z : NULL;
	s->ready = deflateInit(&s->z, Z_DEFAULT_COMPRESSION) == Z_OK;
	return s->ready ? &s->z : NULL;
}

static int run_chunk(void *arg)
{
	struct chunk_task *t = arg;
	struct work_result *r = t->result;
	z_stream *z;

	if (AO_load(t->pass->plan->interrupted)) {
		r->error = ECANCELED;
		return 0;
	}
	r->hash = 0xcbf29ce484222325u;
	r->checksum = (uint32_t)crc32(0, Z_NULL, 0);
	z = fresh_stream(t->pass);
	r->error = z ? stream_chunk(t, z) : ENOMEM;
	(void)AO_fetch_and_add(&t->pass->kib_done, (AO_t)((r->in + 1023) / 1024));
	return 0;
}

static struct chunk_task chunk_of(struct work_pass *pass, int fd, size_t file, size_t i)
{
	uint64_t size = pass->plan->walk->files[file].size;
	uint64_t offset = (uint64_t)i * WORK_CHUNK;
	uint64_t left = size - offset;

	return (struct chunk_task){
		.pass = pass, .fd = fd, .offset = offset,
		.length = left < WORK_CHUNK ? left : WORK_CHUNK,
		.result = &pass->chunks[pass->plan->first[file] + i],
	};
}

static int run_serially(struct work_pass *pass, int fd, size_t file, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct chunk_task t = chunk_of(pass, fd, file, i);

		run_chunk(&t);
	}
	return 0;
}

/* A region inside a task: the worker that waits here helps with the chunks. */
static int run_nested(struct work_pass *pass, int fd, size_t file, size_t n)
{
	struct chunk_task *tasks = calloc(n, sizeof(*tasks));
	struct pool_group group;
	int error, failed;
	size_t i;

	if (!tasks)
		return ENOMEM;
	error = pool_group_init(&group);
	if (error) {
		free(tasks);
		return error;
	}
	for (i = 0; i < n && !error; i++) {
		tasks[i] = chunk_of(pass, fd, file, i);
		error = pool_submit(pass->pool, &group, run_chunk, &tasks[i]);
	}
	failed = pool_wait(pass->pool, &group);
	pool_group_destroy(&group);
	free(tasks);
	return error ? error : failed;
}

static uint64_t stamp_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	return ((uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec) ^
	       (uint64_t)st.st_size << 20;
}

/* The file may have been exchanged for a pipe since the walk: NONBLOCK keeps open from
 * hanging there, NOFOLLOW refuses a link. */
static int open_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int work_file(struct work_pass *pass, size_t file)
{
	size_t n = pass->plan->first[file + 1] - pass->plan->first[file];
	struct work_file_result *r = &pass->files[file];
	int fd, error;

	if (AO_load(pass->plan->interrupted)) {
		r->error = ECANCELED;
		return 0;
	}
	fd = open_file(pass->plan->walk->files[file].path);
	if (fd < 0) {
		r->error = errno;
		(void)AO_fetch_and_add1(&pass->files_done);
		return 0;
	}
	r->stamp = stamp_of(fd);
	if (pass->pool && n > 1)
		error = run_nested(pass, fd, file, n);
	else
		error = run_serially(pass, fd, file, n);
	/* Written to while we read: the passes may differ, and it is nobody's fault. */
	if (r->stamp != stamp_of(fd))
		r->stamp = 0;
	close(fd);
	(void)AO_fetch_and_add1(&pass->files_done);
	return error;
}

static bool same(const struct work_result *a, const struct work_result *b)
{
	return a->hash == b->hash && a->in == b->in && a->out == b->out &&
	       a->checksum == b->checksum && a->error == b->error;
}

int work_file_error(const struct work_pass *pass, size_t file)
{
	int error = pass->files[file].error;
	size_t i;

	for (i = pass->plan->first[file]; i < pass->plan->first[file + 1] && !error; i++)
		error = pass->chunks[i].error;
	return error;
}

static void compare_file(const struct work_pass *a, const struct work_pass *b, size_t file,
	struct work_difference *d)
{
	bool differs = false;
	int error = work_file_error(b, file);
	size_t i;

	for (i = a->plan->first[file]; i < a->plan->first[file + 1]; i++) {
		d->in += b->chunks[i].in;
		d->out += b->chunks[i].out;
		differs = differs || !same(&a->chunks[i], &b->chunks[i]);
	}
	d->unreadable += error != 0;
	if (a->files[file].error != b->files[file].error || !b->files[file].stamp ||
	    a->files[file].stamp != b->files[file].stamp)
		d->changed += !(error && a->files[file].error == b->files[file].error);
	else
		d->files += differs;
}

void work_compare(const struct work_pass *reference, const struct work_pass *pass,
	struct work_difference *difference)
{
	size_t i;

	memset(difference, 0, sizeof(*difference));
	for (i = 0; i < pass->plan->walk->count; i++)
		compare_file(reference, pass, i, difference);
}
