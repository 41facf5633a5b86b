/* SPDX-License-Identifier: MIT */
/* What the native rules promise of every walk and of every state at rest; NULL = kept. */
#ifndef SDPOWER_TEST_CLAIMS_H
#define SDPOWER_TEST_CLAIMS_H

#include "world.h"

const char *claims_of_walk(const struct world *w, uint64_t before, uint64_t after);
const char *claims_of_rest(const struct world *w, uint64_t state);

#endif
