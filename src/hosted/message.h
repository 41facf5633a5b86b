/* SPDX-License-Identifier: MIT */
/* Messages of the hosted part; it is a library of its own and sees only the core's API. */
#ifndef SDPOWER_I_MESSAGE_H
#define SDPOWER_I_MESSAGE_H

#include <sdpower/types.h>

/* Stores "what: why", or why alone when what is NULL, and answers the status. */
sdpower_status sdpower_i_message(struct sdpower_diag *diag, sdpower_status status, const char *what,
	const char *why);

#endif
