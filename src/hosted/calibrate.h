/* SPDX-License-Identifier: MIT */
/* Measuring pairs of cpus: what the calibrator asks of the system, and of one pair. */
#ifndef SDPOWER_I_CALIBRATE_H
#define SDPOWER_I_CALIBRATE_H

#include <pthread.h>
#include <sdpower/calibrate.h>

/* Pairs that stand for a distance. */
#define SDPOWER_I_PAIRS 3u
/* Sizes one search can finish: octaves up to SDPOWER_CURVE_MOST, and four more. */
#define SDPOWER_I_POINTS 40u
/* Signs of one fingerprint, of which the middle one counts. */
#define SDPOWER_I_PINGS 5u

/* The system, so that tests can let any part of it fail. Answers are 0, or -1 for a failure. */
struct sdpower_i_system {
	int (*start)(pthread_t *thread, void *(*run)(void *), void *context);
	/* This thread to one cpu; it runs there when the call is back. */
	int (*pin)(uint32_t os_id);
	/* Another thread to all cpus that this one may use. */
	int (*unpin)(pthread_t thread);
	uint32_t (*cpu)(void);           /* where this thread is */
	uint64_t (*switches)(void);      /* how often it lost its cpu */
	void *(*map)(size_t size);       /* fresh memory in huge pages, NULL on failure */
	void (*unmap)(void *memory, size_t size);
};

extern const struct sdpower_i_system sdpower_i_this_system;

/* Monotonic time, ns. */
uint64_t sdpower_i_now(void);

/* The cpus of two os ids, their caches, and what is to be done with them. */
struct sdpower_i_pair {
	const struct sdpower_i_system *system;
	uint32_t os_id[2];
	uint64_t deadline_ns;               /* by sdpower_i_now */
	struct sdpower_curve_rules rules;   /* rules.struct_size 0: the fingerprint only */
	uint64_t far_budget_ns;             /* instead of that of rules, if it turns out far */
	/* Found: */
	uint32_t flags;                     /* set of sdpower_calibration_flag */
	uint32_t dropped;
	uint64_t ping_ps;
	struct sdpower_curve curve;
	uint32_t point_count;
	struct sdpower_curve_point points[SDPOWER_I_POINTS];
};

/* Measures a pair; returns by the deadline and 10 ms. */
void sdpower_i_pair_measure(struct sdpower_i_pair *pair);

/* One walk: every line of 64 bytes is written once; 0 when somebody said stop meanwhile. */
int sdpower_i_walk(uint64_t *words, uint64_t lines, uint64_t deadline_ns, const uint32_t *stop);

/* How far the walk goes from line to line. */
uint64_t sdpower_i_walk_stride(uint64_t lines);

/* Caches of two cpus below an open directory of the root. */
struct sdpower_i_caches {
	uint64_t private_size; /* largest that they do not share; 0 = unknown */
	uint32_t is_shared;    /* the largest of all is */
};

void sdpower_i_caches_of(int root, uint32_t os_id, uint32_t other,
	struct sdpower_i_caches *caches);

/* Up to three pairs of usable cpus of one distance, spread over the machine: how many. */
uint32_t sdpower_i_pairs_of(const sdpower *s, const uint32_t *usable, uint32_t distance,
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2]);

/* Distances there are between cpus. */
uint32_t sdpower_i_distances(const sdpower *s);

/* Puts together what the pairs of a distance cost, d->pairs of them; sorts costs. */
void sdpower_i_conclude(struct sdpower_calibration_distance *d, uint64_t *costs,
	uint32_t percent);

/* The calibrator on a system. */
sdpower_status sdpower_i_calibrate(const struct sdpower_i_system *system, const sdpower *s,
	const struct sdpower_topology *machine, const struct sdpower_calibrate_options *options,
	struct sdpower_calibration *calibration);
sdpower_status sdpower_i_recheck(const struct sdpower_i_system *system,
	const struct sdpower_topology *machine, struct sdpower_calibration *calibration);

#endif
