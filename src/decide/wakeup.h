/* SPDX-License-Identifier: MIT */
/* The bare rules of D8, before a pick is checked. */
#ifndef SDPOWER_I_WAKEUP_H
#define SDPOWER_I_WAKEUP_H

#include "decide.h"

/* request->waker and prev must exist. */
struct sdpower_pick sdpower_i_wake_idle(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *request);
struct sdpower_pick sdpower_i_select(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *request);

#endif
