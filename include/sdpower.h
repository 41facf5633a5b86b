/* SPDX-License-Identifier: MIT */
/**
 * @file sdpower.h
 * @brief Umbrella header of libsdpower.
 */
#ifndef SDPOWER_H
#define SDPOWER_H

#include "sdpower/types.h"
#include "sdpower/topology.h"
#include "sdpower/instance.h"
#include "sdpower/domain.h"
#include "sdpower/tunables.h"
#include "sdpower/state.h"
#include "sdpower/counters.h"
#include "sdpower/util.h"
#include "sdpower/reason.h"
#include "sdpower/balance.h"
#include "sdpower/move.h"
#include "sdpower/driver.h"
#include "sdpower/power.h"
#include "sdpower/wakeup.h"
#include "sdpower/policy.h"
#include "sdpower/explain.h"
#include "sdpower/snapshot.h"
#include "sdpower/trace.h"
#include "sdpower/dq.h"
#include "sdpower/newidle.h"
#include "sdpower/migration.h"
#include "sdpower/curve.h"
#include "sdpower/calibration.h"

#endif
