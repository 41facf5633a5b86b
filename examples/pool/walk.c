/* SPDX-License-Identifier: MIT */
/* The walk: stays on one file system, follows no link, and survives what it cannot read. */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "walk.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add(struct walk *w, const char *path, uint64_t size)
{
	char *copy;

	if (w->count == w->capacity) {
		size_t capacity = w->capacity ? w->capacity * 2 : 256;
		struct walk_file *files = realloc(w->files, capacity * sizeof(*files));

		if (!files)
			return ENOMEM;
		w->files = files;
		w->capacity = capacity;
	}
	copy = strdup(path);
	if (!copy)
		return ENOMEM;
	w->files[w->count++] = (struct walk_file){ copy, size };
	w->bytes += size;
	return 0;
}

static int add_limited(struct walk *w, const FTSENT *entry, uint64_t max_bytes)
{
	uint64_t size = (uint64_t)entry->fts_statp->st_size;

	if (size > max_bytes - w->bytes) {
		w->limited = true;
		size = max_bytes - w->bytes;
		if (size == 0)
			return 0;
	}
	return add(w, entry->fts_path, size);
}

static int visit(struct walk *w, const FTSENT *entry, uint64_t max_bytes)
{
	switch (entry->fts_info) {
	case FTS_F:
		return add_limited(w, entry, max_bytes);
	case FTS_SL:
	case FTS_SLNONE:
		w->links++;
		return 0;
	case FTS_DEFAULT:
		w->special++;
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		w->unreadable++;
		return 0;
	default:
		return 0;
	}
}

/* A root that is not there is a mistake of the user; anything below it is only counted. */
static int root_error(const FTSENT *entry)
{
	bool failed = entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
		      entry->fts_info == FTS_NS;

	return failed && entry->fts_level == FTS_ROOTLEVEL ? entry->fts_errno : 0;
}

static bool is_over(const struct walk *w, const AO_t *interrupted)
{
	return w->limited || (interrupted && AO_load(interrupted));
}

int walk_folder(struct walk *w, const char *root, uint64_t max_bytes, const AO_t *interrupted)
{
	char *roots[] = { (char *)(uintptr_t)root, NULL };
	FTS *fts;
	FTSENT *entry;
	int error = 0;

	memset(w, 0, sizeof(*w));
	/* COMFOLLOW: /usr/share itself may be a link. */
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV, by_name);
	if (!fts)
		return errno;
	while (!error && !is_over(w, interrupted) && (entry = fts_read(fts)) != NULL) {
		error = root_error(entry);
		if (!error)
			error = visit(w, entry, max_bytes);
	}
	fts_close(fts);
	if (error)
		walk_free(w);
	return error;
}

void walk_free(struct walk *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		free(w->files[i].path);
	free(w->files);
	memset(w, 0, sizeof(*w));
}
