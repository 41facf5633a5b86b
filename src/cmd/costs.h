/* SPDX-License-Identifier: MIT */
/* Kept calibrations, and what they say of a distance. */
#ifndef CMD_COSTS_H
#define CMD_COSTS_H

#include <sdpower.h>
#include "cmd.h"
#include "json.h"

/* Reads one for an instance, or with NULL whatever it belongs to; says why not: an exit code. */
int costs_read(const char *name, const sdpower *s, struct sdpower_calibration *c);

/* One that no instance here has the tree for: says so, and is the exit code. */
int costs_refuse(const char *name);

/* It belongs to the tree of that instance. */
bool costs_fit(const struct sdpower_calibration *c, const sdpower *s);

/* "0.7 us to move a task, cold after 1.4 us (noisy)". */
const char *costs_text(const struct sdpower_calibration_distance *d, char *text, size_t size);
void costs_json(struct json *j, const struct sdpower_calibration_distance *d);

/* "noisy,wide", or "-". */
const char *costs_flags(uint32_t flags, char *text, size_t size);
void costs_json_flags(struct json *j, uint32_t flags);

#endif
