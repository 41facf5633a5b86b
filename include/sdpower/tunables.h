/* SPDX-License-Identifier: MIT */
/**
 * @file tunables.h
 * @brief What the native rules can be told: how full is full, how long is calm, what power costs.
 *
 * All of it is optional. Zero means the default, and the defaults are measured
 * (docs/DESIGN.md). Rules: docs/POLICY.md, part P.
 */
#ifndef SDPOWER_TUNABLES_H
#define SDPOWER_TUNABLES_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** Tunables of the native rules; 0 = the default of each but struct_size. */
struct sdpower_tunables {
	uint32_t struct_size;    /**< sizeof(struct sdpower_tunables), set by the caller */
	/** powersave fills a cpu up to this share of its capacity, per cent, 1 .. 100; default 80 */
	uint32_t fill_percent;
	/**
	 * a cpu with several tasks gives some away above this share of its capacity, per cent,
	 * fill_percent .. 100; default 95
	 */
	uint32_t spread_percent;
	/** a task fits a cpu up to this share of its capacity, per cent, 1 .. 100; default 80 */
	uint32_t fit_percent;
	/** packing begins again after this much calm, and no earlier after it ended, us; default 32000 */
	uint32_t dwell_us;
	/** a queued task may wait this long for a cpu kept idle to save power, us; default 10000 */
	uint32_t latency_bound_us;
	/** throughput of two busy threads of a core, per cent of one, 100 .. 200; default 128 */
	uint32_t smt_percent;
	uint32_t reserved;       /**< must be 0 */
};

/** What is switched on and off as one, small to large: rows of #sdpower_energy. */
enum sdpower_energy_unit {
	SDPOWER_ENERGY_THREAD = 0,  /**< one cpu */
	SDPOWER_ENERGY_CORE = 1,    /**< the threads of a core */
	SDPOWER_ENERGY_CACHE = 2,   /**< the cpus that share a last-level cache */
	SDPOWER_ENERGY_PACKAGE = 3, /**< a package */
	SDPOWER_ENERGY_MACHINE = 4, /**< all there is */
	SDPOWER_ENERGY_UNITS = 5    /**< number of them */
};

/** Largest value in a power table: sums over all units of a machine fit 64 bits with room. */
#define SDPOWER_ENERGY_MOST 1048576u

/** Power of one such unit itself, without the smaller units in it. */
struct sdpower_energy_row {
	/** power while none of its cpus is busy, any unit of power, up to #SDPOWER_ENERGY_MOST */
	uint32_t idle;
	uint32_t active;  /**< power while one of them is, idle .. #SDPOWER_ENERGY_MOST */
	/** energy of one change from idle to active: us at power `active`, up to the same */
	uint32_t wake_us;
};

/** Power table of a machine; only ratios matter. */
struct sdpower_energy {
	uint32_t struct_size; /**< sizeof(struct sdpower_energy), set by the caller */
	uint32_t reserved;    /**< must be 0 */
	struct sdpower_energy_row row[SDPOWER_ENERGY_UNITS]; /**< [enum sdpower_energy_unit] */
};

/**
 * Changes the tunables; what is decided from now on follows them.
 * @param s the instance
 * @param tunables all of them; zeros are the defaults again
 * @return OK; ERANGE for a value out of range; EINVAL for NULL, an unknown struct_size or reserved
 *         not 0. Nothing changes on errors.
 * @par Context control. O(blocks).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_tunables(struct sdpower *s,
	const struct sdpower_tunables *tunables);

/**
 * Reads the tunables in force, defaults filled in.
 * @param s the instance
 * @param[out] tunables filled; struct_size set by the caller
 * @return OK; EINVAL for NULL or an unknown struct_size
 * @par Context control. O(1).
 */
SDPOWER_API sdpower_status sdpower_get_tunables(const struct sdpower *s,
	struct sdpower_tunables *tunables);

#ifdef __cplusplus
}
#endif
#endif
