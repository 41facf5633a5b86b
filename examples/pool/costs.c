/* SPDX-License-Identifier: MIT */
/* Costs: loaded from a file, put to use, and told to who wants to know. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "costs.h"
#include "seam.h"

/* Assumed when not measured: a few lines of a shared cache, or a few hundred from elsewhere. */
#define NEAR_NS 1000u
#define FAR_NS 10000u
/* The longest calibration there can be has 12 KB. */
#define MAX_BYTES 16384u

static int refuse(int error, const char *file, const char *text, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", file, text);
	return error;
}

/* An error number of the system, or 0. */
static int read_file(const char *file, char text[MAX_BYTES], size_t *length)
{
	FILE *in = fopen(file, "r");
	int error = 0;

	if (!in)
		return errno;
	*length = fread(text, 1, MAX_BYTES, in);
	if (ferror(in))
		error = errno;
	else if (*length == MAX_BYTES)
		error = EFBIG;
	fclose(in);
	return error;
}

static int use(struct brain *b, const char *text, size_t length, struct sdpower_diag *diag)
{
	struct sdpower_calibration *c = calloc(1, sizeof(*c));

	if (!c)
		return SDPOWER_ENOSPC;
	c->struct_size = sizeof(*c);
	diag->status = sdpower_calibration_read(text, length, b->sd, c, diag);
	if (diag->status == SDPOWER_OK)
		diag->status = sdpower_calibration_use(b->sd, c);
	if (diag->status == SDPOWER_OK)
		b->costs = c;
	else
		free(c);
	return diag->status;
}

int costs_load(struct brain *b, const char *file, char *why, size_t size)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	char text[MAX_BYTES], place[SDPOWER_DIAG_TEXT + 24];
	size_t length = 0;
	int error = read_file(file, text, &length);

	if (error)
		return refuse(EBADMSG, file, strerror(error), why, size);
	switch (use(b, text, length, &diag)) {
	case SDPOWER_OK:
		return 0;
	case SDPOWER_ENOSPC:
		return refuse(ENOMEM, file, strerror(ENOMEM), why, size);
	case SDPOWER_ESTALE:
		return refuse(ESTALE, file, "measured on another tree of domains "
			"(another machine, or other cpus of it)", why, size);
	default:
		snprintf(place, sizeof(place), "line %u: %s", (unsigned)diag.line, diag.text);
		return refuse(EBADMSG, file, place, why, size);
	}
}

/* Once for all: no cpu comes or goes, and no power level changes which cpus share what. */
static bool is_measured(const struct brain *b, uint32_t level)
{
	return b->costs && level < b->costs->count &&
		!(b->costs->distance[level].flags & SDPOWER_CALIBRATION_DEFAULTED);
}

static bool shares_cache(const struct brain *b, uint32_t cpu, uint32_t level)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain domain;

	return sdpower_domain_at(b->sd, cpu, level, &domain) >= 0 &&
		sdpower_domain_describe(b->sd, domain, &info) >= 0 &&
		info.flags & SDPOWER_SD_SHARE_PKG;
}

struct brain_cost brain_cost(const struct brain *b, uint32_t worker, uint32_t level)
{
	uint32_t cpu = seam_cpu(b, worker), ns;

	if (is_measured(b, level) &&
	    sdpower_migration_times(b->sd, cpu, level, &ns, NULL) == SDPOWER_OK)
		return (struct brain_cost){ .move_ns = ns, .measured = true };
	return (struct brain_cost){ .move_ns = shares_cache(b, cpu, level) ? NEAR_NS : FAR_NS };
}
