/* SPDX-License-Identifier: MIT */
/* Messages of the hosted part. */
#include <stdio.h>
#include "message.h"

sdpower_status sdpower_i_message(struct sdpower_diag *diag, sdpower_status status, const char *what,
	const char *why)
{
	if (!diag)
		return status;
	diag->status = status;
	diag->line = 0;
	diag->column = 0;
	snprintf(diag->text, sizeof(diag->text), "%s%s%s", what ? what : "", what ? ": " : "", why);
	return status;
}
