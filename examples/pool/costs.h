/* SPDX-License-Identifier: MIT */
/*
 * What moving a task costs, as `sdpower calibrate --keep > FILE` measured it on this machine.
 *
 * Put to use, the library tells by it which tasks are too hot to move, level by level, and dq
 * which searches are worth it. Where nothing was measured, both assume something.
 */
#ifndef POOL_COSTS_H
#define POOL_COSTS_H

#include "brain.h"

/*
 * Loads a file and puts it to use. 0, or an error number with a sentence in why[size], and nothing
 * has changed: ESTALE when it was measured on another tree, EBADMSG when it cannot be read or
 * understood, or ENOMEM.
 */
int costs_load(struct brain *b, const char *file, char *why, size_t size);

#endif
