/* SPDX-License-Identifier: MIT */
/* Claims: the only read-modify-write of the library, apart from every decision. */
#include "state.h"

/*
 * Moves a slot from one status to another unless somebody else was faster. Without a
 * compare-and-swap two claimers may both believe they won; both then wake a cpu that is
 * going to look for work anyway.
 */
static int change_status(struct sdpower_i_slot *slot, uint32_t from, uint32_t to)
{
#ifdef SDPOWER_HAVE_CAS
	return sdpower_i_cas(&slot->status, from, to);
#else
	if (sdpower_i_load(&slot->status) != from)
		return 0;
	sdpower_i_store(&slot->status, to);
	return 1;
#endif
}

static sdpower_status claim_as(struct sdpower *s, sdpower_cpu cpu, uint32_t from, uint32_t to)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	return change_status(&s->slots[pos], from, to) ? SDPOWER_OK : SDPOWER_EBUSY;
}

sdpower_status sdpower_claim(struct sdpower *s, sdpower_cpu cpu)
{
	return claim_as(s, cpu, SDPOWER_I_IDLE, SDPOWER_I_CLAIMED);
}

sdpower_status sdpower_unclaim(struct sdpower *s, sdpower_cpu cpu)
{
	return claim_as(s, cpu, SDPOWER_I_CLAIMED, SDPOWER_I_IDLE);
}
