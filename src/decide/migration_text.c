/* SPDX-License-Identifier: MIT */
/* Migration costs as text: what is given by hand, and what is printed (rules M7, M8). */
#include "migration.h"

#include "../topology/scan.h"
#include "../topology/text.h"

#define NS_PER_US 1000
#define PERCENT_MAX 10000u

static uint32_t digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (uint32_t)(c - 'a') + 10u;
	if (c >= 'A' && c <= 'F')
		return (uint32_t)(c - 'A') + 10u;
	return UINT32_MAX;
}

/* Reads digits of whatever base the prefix says; wraps, and no digit is 0. */
static const char *loose_digits(const char *at, uint32_t *value)
{
	uint32_t base = 10;

	if (*at == '0') {
		base = 8;
		at++;
		if ((*at == 'x' || *at == 'X') && digit_of(at[1]) < 16) {
			base = 16;
			at++;
		}
	}
	for (*value = 0; digit_of(*at) < base; at++)
		*value = *value * base + digit_of(*at);
	return at;
}

/* A number as the kernel's command line takes it: 1, or 0 and value 0 where there is none. */
static int loose_number(const char **text, uint32_t *value)
{
	const char *const begin = *text;
	const int is_negative = *begin == '-';

	*text = loose_digits(begin + is_negative, value);
	if (is_negative)
		*value = 0 - *value;
	return *text != begin;
}

static int64_t ns_of(uint32_t value)
{
	return (int64_t)(int32_t)value * NS_PER_US;
}

static sdpower_status loose_costs(const char *text, int64_t cost_ns[SDPOWER_MIGRATION_DISTANCES])
{
	uint32_t value;
	sdpower_status count = 0;

	while (count < (sdpower_status)SDPOWER_MIGRATION_DISTANCES && loose_number(&text, &value)) {
		cost_ns[count++] = ns_of(value);
		if (*text++ != ',')
			break;
	}
	return count;
}

static struct sdpower_i_scan scan_of(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return sdpower_i_scan_over(text, length);
}

static sdpower_status strict_number(struct sdpower_i_scan *scan, uint32_t *value)
{
	const int found = sdpower_i_scan_u32(scan, value);

	if (found > 0)
		return SDPOWER_OK;
	return found < 0 ? SDPOWER_ERANGE : SDPOWER_EPARSE;
}

/* Up to three digits behind a point, as many as there are ns. */
static sdpower_status fraction(struct sdpower_i_scan *scan, int64_t *ns)
{
	const char *const begin = scan->at;
	uint32_t unit = NS_PER_US;

	*ns = 0;
	for (; unit > 1 && digit_of(sdpower_i_scan_peek(scan)) < 10; scan->at++) {
		unit /= 10;
		*ns += digit_of(*scan->at) * unit;
	}
	return scan->at == begin ? SDPOWER_EPARSE : SDPOWER_OK;
}

static sdpower_status strict_cost(struct sdpower_i_scan *scan, uint32_t mode, int64_t *ns)
{
	int64_t behind = 0;
	uint32_t value;
	sdpower_status status = strict_number(scan, &value);

	if (!status && mode == SDPOWER_MIGRATION_DEFAULT && sdpower_i_scan_take(scan, '.'))
		status = fraction(scan, &behind);
	*ns = status ? 0 : (int64_t)value * NS_PER_US + behind;
	return status;
}

static sdpower_status strict_costs(const char *text, uint32_t mode,
	int64_t cost_ns[SDPOWER_MIGRATION_DISTANCES])
{
	struct sdpower_i_scan scan = scan_of(text);
	sdpower_status count = 0;

	do {
		int64_t ns;
		const sdpower_status status = strict_cost(&scan, mode, &ns);

		if (status)
			return status;
		if (count == (sdpower_status)SDPOWER_MIGRATION_DISTANCES)
			return SDPOWER_ERANGE;
		cost_ns[count++] = ns;
	} while (sdpower_i_scan_take(&scan, ','));
	return scan.at == scan.end ? count : SDPOWER_EPARSE;
}

sdpower_status sdpower_migration_read_costs(const char *text, uint32_t mode,
	struct sdpower_migration_costs *costs)
{
	int64_t read[SDPOWER_MIGRATION_DISTANCES];
	sdpower_status status = sdpower_i_migration_mode(mode);

	if (status)
		return status;
	if (!text || !sdpower_i_migration_is_table(costs))
		return SDPOWER_EINVAL;
	status = mode == SDPOWER_MIGRATION_LEGACY ? loose_costs(text, read) :
		strict_costs(text, mode, read);
	for (sdpower_status i = 0; i < status; i++)
		costs->cost_ns[i] = read[i];
	return status;
}

/* Read into the factor itself, then rescaled: a missing number rescales what was there. */
static uint32_t loose_percent(const char *text)
{
	uint32_t percent = SDPOWER_MIGRATION_FACTOR_ONE;

	if (*text)
		(void)loose_number(&text, &percent);
	return percent;
}

static sdpower_status strict_percent(const char *text, uint32_t *percent)
{
	struct sdpower_i_scan scan = scan_of(text);
	const sdpower_status status = strict_number(&scan, percent);

	if (status)
		return status;
	if (scan.at != scan.end)
		return SDPOWER_EPARSE;
	return *percent > PERCENT_MAX ? SDPOWER_ERANGE : SDPOWER_OK;
}

sdpower_status sdpower_migration_read_factor(const char *text, uint32_t mode, uint32_t *factor)
{
	sdpower_status status = sdpower_i_migration_mode(mode);
	uint32_t percent;

	if (status)
		return status;
	if (!text || !factor)
		return SDPOWER_EINVAL;
	if (mode == SDPOWER_MIGRATION_LEGACY)
		percent = loose_percent(text);
	else
		status = strict_percent(text, &percent);
	if (!status && mode == SDPOWER_MIGRATION_DEFAULT && !percent)
		status = SDPOWER_ERANGE;
	if (!status)
		*factor = mode == SDPOWER_MIGRATION_DEFAULT ? percent :
			percent * SDPOWER_MIGRATION_FACTOR_ONE / 100;
	return status;
}

static void put_signed(struct sdpower_i_text *t, int64_t value)
{
	if (value < 0)
		sdpower_i_text_char(t, '-');
	sdpower_i_text_u64(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static sdpower_status finish(struct sdpower_i_text *t, size_t *length)
{
	*length = sdpower_i_text_end(t);
	return *length < t->size ? SDPOWER_OK : SDPOWER_ENOSPC;
}

sdpower_status sdpower_migration_write_costs(const struct sdpower_migration_costs *costs,
	char *buffer, size_t size, size_t *length)
{
	struct sdpower_i_text t;

	if (!sdpower_i_migration_is_table(costs) || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	t = sdpower_i_text_into(buffer, size);
	sdpower_i_text_str(&t, "migration_cost");
	for (uint32_t i = 0; i <= costs->max_distance; i++) {
		sdpower_i_text_char(&t, i ? ',' : '=');
		put_signed(&t, costs->cost_ns[i] / NS_PER_US);
	}
	return finish(&t, length);
}

static void put_rule(struct sdpower_i_text *t)
{
	sdpower_i_text_str(t, "---------------------\n");
}

static void put_cpu(struct sdpower_i_text *t, sdpower_cpu cpu)
{
	sdpower_i_text_str(t, cpu < 10 ? "[0" : "[");
	sdpower_i_text_u32(t, cpu);
	sdpower_i_text_char(t, ']');
}

/* Whole ms, at least so wide, and a tenth that has a sign of its own. */
static void put_ms(struct sdpower_i_text *t, int64_t ns, int width)
{
	const int64_t ms = ns / 1000000;

	if (width > 1 && ms >= 0 && ms < 10)
		sdpower_i_text_char(t, ' ');
	put_signed(t, ms);
	sdpower_i_text_char(t, '.');
	put_signed(t, ns / 100000 % 10);
}

static void put_pair(struct sdpower_i_text *t, const struct sdpower_migration_costs *costs,
	uint32_t distance)
{
	sdpower_i_text_char(t, ' ');
	put_ms(t, costs->cost_ns[distance], 2);
	sdpower_i_text_char(t, '(');
	sdpower_i_text_u32(t, distance);
	sdpower_i_text_char(t, ')');
}

static void put_row(struct sdpower_i_text *t, const struct sdpower_migration_machine *m,
	const struct sdpower_migration_costs *costs, sdpower_cpu cpu)
{
	put_cpu(t, cpu);
	sdpower_i_text_str(t, ": ");
	for (sdpower_cpu other = 0; other < m->cpu_count; other++) {
		if (!sdpower_i_migration_calibrates(m, other))
			continue;
		if (other == cpu)
			sdpower_i_text_str(t, "    -   ");
		else
			put_pair(t, costs, sdpower_i_migration_distance(m, cpu, other));
	}
	sdpower_i_text_char(t, '\n');
}

static void put_rows(struct sdpower_i_text *t, const struct sdpower_migration_machine *m,
	const struct sdpower_migration_costs *costs)
{
	sdpower_i_text_str(t, "      ");
	for (sdpower_cpu cpu = 0; cpu < m->cpu_count; cpu++) {
		if (!sdpower_i_migration_calibrates(m, cpu))
			continue;
		sdpower_i_text_str(t, "    ");
		put_cpu(t, cpu);
	}
	sdpower_i_text_char(t, '\n');
	for (sdpower_cpu cpu = 0; cpu < m->cpu_count; cpu++)
		if (sdpower_i_migration_calibrates(m, cpu))
			put_row(t, m, costs, cpu);
}

static void put_times(struct sdpower_i_text *t, const struct sdpower_migration_costs *costs)
{
	sdpower_i_text_str(t, "cacheflush times [");
	sdpower_i_text_u32(t, costs->max_distance + 1);
	sdpower_i_text_str(t, "]:");
	for (uint32_t i = 0; i <= costs->max_distance; i++) {
		sdpower_i_text_char(t, ' ');
		put_ms(t, costs->cost_ns[i], 1);
		sdpower_i_text_str(t, " (");
		put_signed(t, costs->cost_ns[i]);
		sdpower_i_text_char(t, ')');
	}
	sdpower_i_text_char(t, '\n');
}

sdpower_status sdpower_migration_write_matrix(const struct sdpower_migration_machine *machine,
	const struct sdpower_migration_costs *costs, uint32_t max_cache_size, uint32_t mhz,
	char *buffer, size_t size, size_t *length)
{
	struct sdpower_i_text t;

	if (!sdpower_i_migration_is_machine(machine) || !sdpower_i_migration_is_table(costs) ||
	    !length || (!buffer && size))
		return SDPOWER_EINVAL;
	t = sdpower_i_text_into(buffer, size);
	put_rule(&t);
	sdpower_i_text_str(&t, "migration cost matrix (max_cache_size: ");
	sdpower_i_text_u32(&t, max_cache_size);
	sdpower_i_text_str(&t, ", cpu: ");
	sdpower_i_text_u32(&t, mhz);
	sdpower_i_text_str(&t, " MHz):\n");
	put_rule(&t);
	put_rows(&t, machine, costs);
	put_rule(&t);
	put_times(&t, costs);
	put_rule(&t);
	return finish(&t, length);
}
