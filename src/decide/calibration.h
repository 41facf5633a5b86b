/* SPDX-License-Identifier: MIT */
/* What the two files about calibrations share. */
#ifndef SDPOWER_I_CALIBRATION_H
#define SDPOWER_I_CALIBRATION_H

#include <sdpower/calibration.h>

/* True iff its distances can be read. */
int sdpower_i_calibration_is_good(const struct sdpower_calibration *c);

#endif
