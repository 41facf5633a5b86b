/* SPDX-License-Identifier: MIT */
/* A calibration as text; the format is in <sdpower/calibration.h>. */
#include "calibration.h"
#include "snapshot.h"
#include "../topology/text.h"

#define VERSION 1u
#define PERCENT_MAX 10000u

static void number(struct sdpower_i_text *t, uint64_t value)
{
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u64(t, value);
}

static void cpu(struct sdpower_i_text *t, sdpower_cpu value)
{
	if (value == SDPOWER_CPU_NONE)
		sdpower_i_text_str(t, " -");
	else
		number(t, value);
}

static void hex(struct sdpower_i_text *t, uint64_t value)
{
	sdpower_i_text_char(t, ' ');
	for (uint32_t shift = 64; shift;) {
		shift -= 4;
		sdpower_i_text_char(t, "0123456789abcdef"[value >> shift & 15u]);
	}
}

static void write_distance(struct sdpower_i_text *t,
	const struct sdpower_calibration_distance *d)
{
	sdpower_i_text_str(t, "distance");
	number(t, d->flags);
	number(t, d->pairs);
	cpu(t, d->cpu);
	cpu(t, d->other);
	number(t, d->shares_cache);
	number(t, d->rounds);
	number(t, d->dropped);
	number(t, d->end);
	number(t, d->size);
	number(t, d->cost_ns);
	number(t, d->low_ns);
	number(t, d->high_ns);
	number(t, d->there_ns);
	number(t, d->back_ns);
	number(t, d->least_ns);
	number(t, d->most_ns);
	number(t, d->hot_ns);
	number(t, d->ping_ps);
	number(t, d->wall_ns);
	sdpower_i_text_char(t, '\n');
}

sdpower_status sdpower_calibration_write(const struct sdpower_calibration *calibration,
	char *buffer, size_t size, size_t *length)
{
	struct sdpower_i_text t;

	if (!sdpower_i_calibration_is_good(calibration) || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	t = sdpower_i_text_into(buffer, size);
	sdpower_i_text_str(&t, "sdpower calibration");
	number(&t, VERSION);
	sdpower_i_text_str(&t, "\ntree");
	hex(&t, calibration->signature);
	number(&t, calibration->count);
	number(&t, calibration->percent);
	number(&t, calibration->wall_ns);
	sdpower_i_text_char(&t, '\n');
	for (uint32_t i = 0; i < calibration->count; i++)
		write_distance(&t, &calibration->distance[i]);
	sdpower_i_text_str(&t, "end\n");
	*length = sdpower_i_text_end(&t);
	return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
}

static uint64_t read_hex(struct sdpower_i_lines *l)
{
	uint64_t value = 0;

	if (l->status)
		return 0;
	if (l->end - l->at < 17 || *l->at != ' ') {
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected 16 hexadecimal digits");
		return 0;
	}
	l->at++;
	for (uint32_t i = 0; i < 16; i++, l->at++) {
		const char c = *l->at;
		const int is_digit = c >= '0' && c <= '9';

		if (!is_digit && (c < 'a' || c > 'f'))
			sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected 16 hexadecimal digits");
		value = value << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
	}
	return value;
}

static uint32_t read32(struct sdpower_i_lines *l, uint32_t most)
{
	return (uint32_t)sdpower_i_lines_number(l, most);
}

static uint64_t read64(struct sdpower_i_lines *l)
{
	return sdpower_i_lines_number(l, UINT64_MAX);
}

static void read_distance(struct sdpower_i_lines *l, struct sdpower_calibration_distance *d)
{
	sdpower_i_lines_word(l, "distance");
	d->flags = read32(l, SDPOWER_CALIBRATION_FLAGS);
	d->pairs = read32(l, UINT32_MAX);
	d->cpu = sdpower_i_lines_id(l, SDPOWER_MAX_CPUS - 1);
	d->other = sdpower_i_lines_id(l, SDPOWER_MAX_CPUS - 1);
	d->shares_cache = read32(l, 1);
	d->rounds = read32(l, UINT32_MAX);
	d->dropped = read32(l, UINT32_MAX);
	d->end = read32(l, UINT32_MAX);
	d->size = read64(l);
	d->cost_ns = read64(l);
	d->low_ns = read64(l);
	d->high_ns = read64(l);
	d->there_ns = read64(l);
	d->back_ns = read64(l);
	d->least_ns = read64(l);
	d->most_ns = read64(l);
	d->hot_ns = read64(l);
	d->ping_ps = read64(l);
	d->wall_ns = read64(l);
	sdpower_i_lines_end(l);
}

static void read_all(struct sdpower_i_lines *l, struct sdpower_calibration *c)
{
	sdpower_i_lines_word(l, "sdpower");
	sdpower_i_lines_word(l, "calibration");
	if (read32(l, UINT32_MAX) != VERSION)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "a version that this library does not know");
	sdpower_i_lines_end(l);
	sdpower_i_lines_word(l, "tree");
	c->signature = read_hex(l);
	c->count = read32(l, SDPOWER_MIGRATION_DISTANCES);
	c->percent = read32(l, PERCENT_MAX);
	c->wall_ns = read64(l);
	sdpower_i_lines_end(l);
	for (uint32_t i = 0; i < c->count && !l->status; i++) {
		read_distance(l, &c->distance[i]);
		c->flags |= c->distance[i].flags;
	}
	sdpower_i_lines_word(l, "end");
	sdpower_i_lines_end(l);
	if (!l->status && l->at != l->end)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "text behind the end");
}

static sdpower_status check_tree(const struct sdpower_calibration *c, const sdpower *s,
	struct sdpower_diag *diag)
{
	uint64_t signature;
	const sdpower_status status = sdpower_domain_signature(s, &signature);

	if (status || signature == c->signature)
		return status;
	return sdpower_i_diag_fail(diag, SDPOWER_ESTALE, "measured for another tree of domains");
}

sdpower_status sdpower_calibration_read(const char *text, size_t length, const sdpower *s,
	struct sdpower_calibration *calibration, struct sdpower_diag *diag)
{
	struct sdpower_calibration read = { .struct_size = sizeof(read) };
	struct sdpower_i_lines l;
	sdpower_status status;

	if (!text || !calibration || calibration->struct_size != sizeof(*calibration))
		return SDPOWER_EINVAL;
	sdpower_i_diag_start(diag, SDPOWER_OK);
	l = sdpower_i_lines_over(text, length, 1, diag);
	read_all(&l, &read);
	status = l.status;
	if (!status && s)
		status = check_tree(&read, s, diag);
	if (!status)
		*calibration = read;
	return status;
}
