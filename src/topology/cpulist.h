/* SPDX-License-Identifier: MIT */
/* Sets of cpus and nodes as Linux writes them: lists "0-3,8" and hexadecimal masks. */
#ifndef SDPOWER_I_CPULIST_H
#define SDPOWER_I_CPULIST_H

#include <sdpower/types.h>
#include "scan.h"

/* No Linux numbers cpus or nodes this high; a larger id is taken for a broken file. */
#define SDPOWER_I_MAX_ID 65535u

/* What a set was found to hold. */
struct sdpower_i_ids {
	uint32_t count;   /* ids named, an id named twice counts twice */
	uint32_t highest; /* SDPOWER_ID_NONE = none */
};

/*
 * Both clear the mask, set the bits that fit its words and leave out the higher ones: a file
 * may well name cpus that cannot exist here. mask may be NULL with words 0. On failure the
 * cursor stands where the text stops making sense and *why says so.
 */
sdpower_status sdpower_i_cpulist(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why);
/* Comma-separated words of 32 bits, highest first. */
sdpower_status sdpower_i_cpumask(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why);

#endif
