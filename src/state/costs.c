/* SPDX-License-Identifier: MIT */
/* Measured times count as long as the tree is the one they were measured in. */
#include "costs.h"

#include <sdpower/domain.h>

void sdpower_i_check_costs(struct sdpower *s)
{
	uint64_t signature;

	if (!s->costs.signature)
		return;
	sdpower_i_store(&s->costs.valid, sdpower_domain_signature(s, &signature) == SDPOWER_OK &&
		signature == s->costs.signature);
}
