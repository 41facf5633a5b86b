/* SPDX-License-Identifier: MIT */
/* What init needs of the tunables. */
#ifndef SDPOWER_I_TUNABLES_H
#define SDPOWER_I_TUNABLES_H

#include "state.h"

#include <string.h>

/* NULL is fine: all defaults, no table. */
sdpower_status sdpower_i_check_tunables(const struct sdpower_tunables *given);
sdpower_status sdpower_i_check_energy(const struct sdpower_energy *e);

void sdpower_i_tune(struct sdpower *s, const struct sdpower_tunables *given);

#endif
