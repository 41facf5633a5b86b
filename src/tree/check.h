/* SPDX-License-Identifier: MIT */
/* Does a tree hold what docs/POLICY.md B16 promises? */
#ifndef SDPOWER_I_CHECK_H
#define SDPOWER_I_CHECK_H

#include "build.h"

#include <sdpower/types.h>

/*
 * OK, or ECORRUPT with the first thing found wrong. Control side, since it marks cpus in the
 * scratch; readers may go on.
 */
sdpower_status sdpower_i_check_tree(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_diag *diag);

/* numbering_check.c: numbering and blocks, which never change. */
sdpower_status sdpower_i_check_numbering(const struct sdpower_i_forest *f, struct sdpower_diag *diag);

#endif
