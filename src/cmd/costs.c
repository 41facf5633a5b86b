/* SPDX-License-Identifier: MIT */
/* Reads calibrations, and tells what a distance costs. */
#include <stdio.h>
#include <stdlib.h>
#include "costs.h"
#include "input.h"
#include "say.h"

int costs_refuse(const char *name)
{
	say_of(name, "measured on a machine, or by rules, with another tree of domains");
	return CMD_NO;
}

int costs_read(const char *name, const sdpower *s, struct sdpower_calibration *c)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	size_t length;
	char *text;
	const int code = input_read(name, &text, &length);

	if (code != CMD_GOOD)
		return code;
	c->struct_size = sizeof(*c);
	diag.status = sdpower_calibration_read(text, length, s, c, &diag);
	free(text);
	if (diag.status == SDPOWER_OK)
		return CMD_GOOD;
	if (diag.status == SDPOWER_ESTALE)
		return costs_refuse(name);
	say_diag(name, "error", &diag);
	return CMD_INPUT;
}

bool costs_fit(const struct sdpower_calibration *c, const sdpower *s)
{
	uint64_t signature;

	return sdpower_domain_signature(s, &signature) == SDPOWER_OK && signature == c->signature;
}

static bool is_measured(const struct sdpower_calibration_distance *d)
{
	return !(d->flags & SDPOWER_CALIBRATION_DEFAULTED);
}

const char *costs_text(const struct sdpower_calibration_distance *d, char *text, size_t size)
{
	char flags[128] = "", cost[48] = "not measured";

	if (is_measured(d))
		snprintf(cost, sizeof(cost), "%.1f us to move a task", (double)d->cost_ns / 1000);
	if (d->flags)
		costs_flags(d->flags, flags, sizeof(flags));
	snprintf(text, size, "%s, cold after %.1f us%s%s%s", cost, (double)d->hot_ns / 1000,
		d->flags ? " (" : "", flags, d->flags ? ")" : "");
	return text;
}

void costs_json(struct json *j, const struct sdpower_calibration_distance *d)
{
	if (is_measured(d))
		json_number(j, "cost_ns", d->cost_ns);
	else
		json_text(j, "cost_ns", NULL);
	json_number(j, "hot_ns", d->hot_ns);
	costs_json_flags(j, d->flags);
}

const char *costs_flags(uint32_t flags, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "-");
	for (uint32_t bit = 1; bit <= SDPOWER_CALIBRATION_FLAGS && used < size; bit <<= 1)
		if (flags & bit)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
				sdpower_calibration_flag_name(bit));
	return text;
}

void costs_json_flags(struct json *j, uint32_t flags)
{
	json_row(j, "flags");
	for (uint32_t bit = 1; bit <= SDPOWER_CALIBRATION_FLAGS; bit <<= 1)
		if (flags & bit)
			json_text(j, NULL, sdpower_calibration_flag_name(bit));
	json_close(j);
}
