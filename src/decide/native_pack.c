/* SPDX-License-Identifier: MIT */
/* Rule P6: emptying groups to save power. */
#include "native.h"

int sdpower_i_native_pack(const struct sdpower_i_native_search *q,
	struct sdpower_i_native_pull *pull)
{
	pull->kind = SDPOWER_PULL_NONE;
	return q->idle > SDPOWER_CPU_NEWLY_IDLE;
}
