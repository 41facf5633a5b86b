/* SPDX-License-Identifier: MIT */
/* indexes= of a synthetic string: how the cpus are numbered. */
#include <string.h>
#include "diag.h"
#include "synthetic.h"

static sdpower_status fail(const struct sdpower_i_scan *at, struct sdpower_diag *diag, const char *text)
{
	return sdpower_i_diag_fail_at(diag, SDPOWER_EPARSE, sdpower_i_scan_column(at), text);
}

static sdpower_status add_loop(struct sdpower_i_numbering *n, const struct sdpower_i_scan *at,
	uint32_t step, uint32_t nb, struct sdpower_diag *diag)
{
	if (n->depth == SDPOWER_I_TYPES)
		return fail(at, diag, "indexes: too many loops");
	if (n->depth && !n->nb[0] != !nb)
		return fail(at, diag, "indexes: types and step*count do not mix");
	n->step[n->depth] = step;
	n->nb[n->depth] = nb;
	n->depth++;
	return SDPOWER_OK;
}

/* "step*count", hwloc's form of a loop that follows no level. */
static sdpower_status add_numbers(struct sdpower_i_numbering *n, struct sdpower_i_scan *piece,
	struct sdpower_diag *diag)
{
	uint32_t step = 0, nb = 0;

	if (sdpower_i_scan_u32(piece, &step) != 1 || !sdpower_i_scan_take(piece, '*') ||
			sdpower_i_scan_u32(piece, &nb) != 1 || piece->at != piece->end || !step || !nb)
		return fail(piece, diag, "indexes: not a type, a step*count, or a list");
	return add_loop(n, piece, step, nb, diag);
}

/* Until all types are known a loop holds its level instead of its step. */
static sdpower_status add_type(const struct sdpower_i_synthetic *spec, struct sdpower_i_numbering *n,
	const struct sdpower_i_scan *piece, struct sdpower_diag *diag)
{
	const uint32_t type = sdpower_i_synthetic_type(piece->at, (size_t)(piece->end - piece->at));
	uint32_t level;

	if (type == SDPOWER_I_TYPES)
		return fail(piece, diag, "indexes: unknown type");
	level = spec->level_of[type];
	if (level == SDPOWER_ID_NONE) {
		if (type == SDPOWER_I_NUMA)
			return SDPOWER_OK; /* a machine without nodes has one */
		return fail(piece, diag, "indexes: this type has no level");
	}
	for (uint32_t k = 0; k < n->depth; k++)
		if (!n->nb[k] && n->step[k] == level)
			return fail(piece, diag, "indexes: a type appears twice");
	return add_loop(n, piece, level, 0, diag);
}

/* A type counts its objects inside one object of the next outer type that is listed. */
static uint32_t objects_inside(const struct sdpower_i_synthetic *spec, const struct sdpower_i_numbering *n,
	uint32_t level)
{
	uint32_t outer = SDPOWER_ID_NONE;

	for (uint32_t k = 0; k < n->depth; k++)
		if (n->step[k] < level && (outer == SDPOWER_ID_NONE || n->step[k] > outer))
			outer = n->step[k];
	return (outer == SDPOWER_ID_NONE ? spec->cpus : spec->step[outer]) / spec->step[level];
}

static void close_loops(const struct sdpower_i_synthetic *spec, struct sdpower_i_numbering *n)
{
	if (!n->depth || n->nb[0])
		return;
	for (uint32_t k = 0; k < n->depth; k++)
		n->nb[k] = objects_inside(spec, n, n->step[k]);
	for (uint32_t k = 0; k < n->depth; k++)
		n->step[k] = spec->step[n->step[k]];
}

static sdpower_status finish(const struct sdpower_i_synthetic *spec, struct sdpower_i_numbering *n,
	struct sdpower_diag *diag)
{
	uint64_t covered = 1;

	close_loops(spec, n);
	for (uint32_t k = 0; k < n->depth; k++) {
		covered *= n->nb[k];
		if (covered > spec->cpus)
			break;
	}
	if (spec->cpus % covered)
		return fail(&spec->indexes, diag, "indexes: the loops do not fit the number of cpus");
	n->step[n->depth] = 1;
	n->nb[n->depth] = spec->cpus / (uint32_t)covered;
	n->depth++;
	return SDPOWER_OK;
}

static int looks_like_a_list(struct sdpower_i_scan scan)
{
	uint32_t number;

	return sdpower_i_scan_u32(&scan, &number) && (scan.at == scan.end || *scan.at == ',');
}

sdpower_status sdpower_i_numbering_parse(const struct sdpower_i_synthetic *spec,
	struct sdpower_i_numbering *numbering, struct sdpower_diag *diag)
{
	struct sdpower_i_scan rest = spec->indexes, piece;
	sdpower_status status = SDPOWER_OK;

	memset(numbering, 0, sizeof(*numbering));
	if (rest.at && looks_like_a_list(rest)) {
		numbering->is_list = 1;
		numbering->list = rest;
		return SDPOWER_OK;
	}
	while (status == SDPOWER_OK && sdpower_i_scan_cut(&rest, ':', &piece)) {
		const char c = sdpower_i_scan_peek(&piece);

		piece.begin = spec->indexes.begin;
		if (c >= '0' && c <= '9')
			status = add_numbers(numbering, &piece, diag);
		else
			status = add_type(spec, numbering, &piece, diag);
	}
	return status == SDPOWER_OK ? finish(spec, numbering, diag) : status;
}

uint32_t sdpower_i_numbering_of(const struct sdpower_i_numbering *numbering, uint32_t i)
{
	uint32_t id = 0, stride = 1;

	for (uint32_t k = 0; k < numbering->depth; k++) {
		id += i / numbering->step[k] % numbering->nb[k] * stride;
		stride *= numbering->nb[k];
	}
	return id;
}
