/* SPDX-License-Identifier: MIT */
/* What sentences about answers of both rule sets share. */
#ifndef SDPOWER_I_EXPLAIN_H
#define SDPOWER_I_EXPLAIN_H

#include <sdpower/explain.h>
#include "../state/state.h"
#include "../topology/text.h"

/* A blank, a name and a number. */
void sdpower_i_explain_field(struct sdpower_i_text *t, const char *name, uint64_t value);
void sdpower_i_explain_reasons(struct sdpower_i_text *t, uint32_t reason);

/* explain_native.c: everything behind the asker. */
void sdpower_i_explain_native(struct sdpower_i_text *t, const struct sdpower *s,
	const struct sdpower_busiest_request *request, const struct sdpower_busiest *answer);

#endif
