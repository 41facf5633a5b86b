/* SPDX-License-Identifier: MIT */
/* The progress line. */
#include <stdio.h>
#include <unistd.h>
#include "clock.h"
#include "progress.h"

#define REDRAW_NS 100000000u

void progress_open(struct progress *p)
{
	p->shown = isatty(STDERR_FILENO);
}

void progress_start(struct progress *p, const char *what)
{
	p->what = what;
	p->start = clock_now();
	p->last = p->start;
}

void progress_draw(struct progress *p, const struct work_pass *pass)
{
	const struct walk *walk = pass->plan->walk;
	uint64_t now = clock_now();
	double mib, seconds;

	if (!p->shown || now - p->last < REDRAW_NS)
		return;
	p->last = now;
	mib = (double)AO_load(&pass->kib_done) / 1024;
	seconds = (double)(now - p->start) / 1e9;
	fprintf(stderr, "\r\033[K%-12s %lu of %zu files, %.1f of %.1f MiB, %.1f MiB/s",
		p->what, (unsigned long)AO_load(&pass->files_done), walk->count, mib,
		(double)walk->bytes / 1048576, mib / seconds);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
}
