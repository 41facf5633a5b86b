/* SPDX-License-Identifier: MIT */
/* What other knobs would change, asked by dry runs. */
#ifndef CMD_KNOBS_H
#define CMD_KNOBS_H

#include <sdpower.h>
#include "cmd.h"
#include "json.h"

/* Every setting of the two knobs. */
#define KNOBS_SETTINGS 9u

struct knobs_change {
	uint32_t mc, smt;
	const char *word; /* the level that stands for them, or NULL */
	sdpower_status status;
	struct sdpower_change_report report;
};

/* Fills all settings; the instance stays as it is. */
void knobs_try_all(sdpower *s, struct knobs_change *changes);

void knobs_json(struct json *j, const struct knobs_change *change);

#endif
