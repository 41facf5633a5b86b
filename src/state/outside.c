/* SPDX-License-Identifier: MIT */
/* What other programs take from a cpu: on lines of its own, written by the control side. */
#include "state.h"

sdpower_status sdpower_set_outside(struct sdpower *s, sdpower_cpu cpu, uint32_t util,
	uint32_t capacity)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	if (util > SDPOWER_SCALE || capacity > SDPOWER_SCALE)
		return SDPOWER_ERANGE;
	sdpower_i_set_outside(s, pos, util, capacity);
	sdpower_i_publish(s, pos);
	return SDPOWER_OK;
}
