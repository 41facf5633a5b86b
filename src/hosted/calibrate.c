/* SPDX-License-Identifier: MIT */
/* The calibrator: distance by distance, pair by pair, within its budgets. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "affinity.h"
#include "calibrate.h"

#define MS UINT64_C(1000000)
#define NEAR_NS (20 * MS)
#define FAR_NS (100 * MS)
#define HARD_NS (250 * MS)
#define TOTAL_NS (1000 * MS)
#define RECHECK_NS (20 * MS)
/* Of the budget, in fifths: the search, and each other pair at the one size it found. */
#define SEARCH_FIFTHS 3u
/* Per cent by which pairs of one distance may differ. */
#define WIDE_PERCENT 150u

/* What is the same for all distances. */
struct run {
	const struct sdpower_i_system *system;
	const sdpower *s;
	const struct sdpower_topology *machine;
	struct sdpower_calibrate_options options; /* without zeros */
	uint32_t *usable;                         /* mask of cpus */
	uint64_t end_ns;
	int root;
	uint32_t points;
};

static uint32_t os_id(const struct sdpower_topology *machine, sdpower_cpu cpu)
{
	return ((const struct sdpower_cpu_desc *)(const void *)((const char *)machine->cpus +
		(size_t)cpu * machine->cpu_stride))->os_id;
}

static uint64_t or_else(uint64_t value, uint64_t usual)
{
	return value ? value : usual;
}

static struct sdpower_calibrate_options filled(const struct sdpower_calibrate_options *options)
{
	struct sdpower_calibrate_options o = { .struct_size = sizeof(o) };

	if (options)
		o = *options;
	o.percent = o.percent ? o.percent : 100;
	o.near_budget_ns = or_else(o.near_budget_ns, NEAR_NS);
	o.far_budget_ns = or_else(o.far_budget_ns, FAR_NS);
	o.hard_ns = or_else(o.hard_ns, HARD_NS);
	o.total_ns = or_else(o.total_ns, TOTAL_NS);
	return o;
}

static sdpower_status check_options(const struct sdpower_calibrate_options *o)
{
	if (!o)
		return SDPOWER_OK;
	if (o->struct_size != sizeof(*o) || o->flags & ~(uint32_t)SDPOWER_CALIBRATE_RISING)
		return SDPOWER_EINVAL;
	return o->percent > SDPOWER_CURVE_PERCENT_MAX || o->most_size > SDPOWER_CURVE_MOST ?
		SDPOWER_ERANGE : SDPOWER_OK;
}

static int is_machine(const struct sdpower_topology *machine)
{
	return machine && machine->struct_size >= sizeof(*machine) && machine->cpus &&
		machine->cpu_stride >= sizeof(struct sdpower_cpu_desc);
}

/* Cpus of the instance that this thread may run on now, whatever the instance was told. */
static uint32_t *usable_cpus(const struct sdpower_topology *machine)
{
	uint32_t *const affinity = malloc(SDPOWER_I_AFFINITY_WORDS * sizeof(*affinity));
	uint32_t *const mask = calloc((machine->cpu_count + 31) / 32 + 1, sizeof(*mask));

	if (mask && affinity && sdpower_i_affinity(affinity))
		for (sdpower_cpu cpu = 0; cpu < machine->cpu_count; cpu++) {
			const uint32_t id = os_id(machine, cpu);

			if (id / 32 < SDPOWER_I_AFFINITY_WORDS && affinity[id / 32] >> id % 32 & 1u)
				mask[cpu / 32] |= 1u << cpu % 32;
		}
	free(affinity);
	return mask;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void keep_points(struct run *r, const struct sdpower_i_pair *pair, uint32_t distance,
	uint32_t index)
{
	if (!r->options.points)
		return;
	for (uint32_t i = 0; i < pair->point_count && r->points < r->options.point_capacity; i++)
		r->options.points[r->points++] = (struct sdpower_calibrate_point) {
			.distance = distance, .pair = index, .point = pair->points[i] };
}

/* The first pair says which size it is. */
static void take_first(struct sdpower_calibration_distance *d, const struct sdpower_i_pair *pair)
{
	const struct sdpower_curve_point *const best = &pair->curve.best;

	d->rounds = best->rounds;
	d->end = pair->curve.end;
	d->size = best->size;
	d->low_ns = best->low_ns;
	d->high_ns = best->high_ns;
	d->there_ns = best->there_ns;
	d->back_ns = best->back_ns;
	d->ping_ps = pair->ping_ps;
}

/* The middle pair stands for all of them; of two the dearer one. */
void sdpower_i_conclude(struct sdpower_calibration_distance *d, uint64_t *costs, uint32_t percent)
{
	const uint32_t n = d->pairs;

	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k && costs[k] < costs[k - 1]; k--) {
			const uint64_t swapped = costs[k];

			costs[k] = costs[k - 1];
			costs[k - 1] = swapped;
		}
	d->flags &= ~(uint32_t)SDPOWER_CALIBRATION_DEFAULTED;
	d->least_ns = costs[0];
	d->most_ns = costs[n - 1];
	d->cost_ns = costs[n / 2];
	d->hot_ns = 2 * d->cost_ns * percent / 100;
	if (d->most_ns * 100 > d->least_ns * WIDE_PERCENT)
		d->flags |= SDPOWER_CALIBRATION_WIDE;
}

static void begin_pair(const struct run *r, struct sdpower_i_pair *pair, const sdpower_cpu cpus[2],
	uint64_t deadline_ns)
{
	memset(pair, 0, sizeof(*pair));
	pair->system = r->system;
	pair->os_id[0] = os_id(r->machine, cpus[0]);
	pair->os_id[1] = os_id(r->machine, cpus[1]);
	pair->deadline_ns = deadline_ns;
	pair->rules.struct_size = sizeof(pair->rules);
	pair->rules.most_size = r->options.most_size;
}

static uint64_t share_of(uint64_t budget_ns, uint32_t index, uint32_t pairs)
{
	return pairs == 1 ? budget_ns : budget_ns * (index ? 1 : SEARCH_FIFTHS) / 5;
}

/* The search on the first pair, then its size on the others; false when nothing was found. */
static int measure_pairs(struct run *r, uint32_t distance, struct sdpower_calibration_distance *d,
	sdpower_cpu cpus[SDPOWER_I_PAIRS][2], uint32_t count, uint64_t costs[SDPOWER_I_PAIRS])
{
	const uint64_t deadline_ns = earlier(r->end_ns, sdpower_i_now() + r->options.hard_ns);
	struct sdpower_i_caches caches;

	sdpower_i_caches_of(r->root, os_id(r->machine, cpus[0][0]), os_id(r->machine, cpus[0][1]),
		&caches);
	d->shares_cache = caches.is_shared;
	for (uint32_t i = 0; i < count; i++) {
		struct sdpower_i_pair pair;

		begin_pair(r, &pair, cpus[i], deadline_ns);
		pair.rules.private_size = caches.private_size;
		pair.rules.only_size = i ? d->size : 0;
		pair.far_budget_ns = share_of(r->options.far_budget_ns, i, count);
		pair.rules.budget_ns = !caches.is_shared ? pair.far_budget_ns :
			share_of(r->options.near_budget_ns, i, count);
		sdpower_i_pair_measure(&pair);
		d->flags |= pair.flags;
		d->dropped += pair.dropped;
		keep_points(r, &pair, distance, i);
		if (!i)
			take_first(d, &pair);
		if (!pair.curve.best.cost_ns)
			break;
		costs[d->pairs++] = pair.curve.best.cost_ns;
	}
	return d->pairs != 0;
}

static void measure(struct run *r, uint32_t distance, struct sdpower_calibration_distance *d)
{
	sdpower_cpu cpus[SDPOWER_I_PAIRS][2];
	uint64_t costs[SDPOWER_I_PAIRS];
	const uint64_t began_ns = sdpower_i_now();
	const uint32_t count = r->usable ?
		sdpower_i_pairs_of(r->s, r->usable, distance, cpus) : 0;

	d->flags |= r->usable ? 0 : SDPOWER_CALIBRATION_NO_MEMORY;
	if (count) {
		d->cpu = cpus[0][0];
		d->other = cpus[0][1];
		if (measure_pairs(r, distance, d, cpus, count, costs))
			sdpower_i_conclude(d, costs, r->options.percent);
	}
	d->wall_ns = sdpower_i_now() - began_ns;
}

static void measure_all(struct run *r, struct sdpower_calibration *c)
{
	int is_wanted = 1;

	for (uint32_t i = 0; i < c->count; i++) {
		struct sdpower_calibration_distance *const d = &c->distance[i];
		const struct sdpower_calibrate_progress progress = { i, c->count, d };

		if (is_wanted && sdpower_i_now() < r->end_ns)
			measure(r, i, d);
		else
			d->flags |= SDPOWER_CALIBRATION_TIMEOUT;
		if (is_wanted && r->options.progress)
			is_wanted = !r->options.progress(r->options.context, &progress);
	}
}

static void finish(const struct run *r, struct sdpower_calibration *c)
{
	c->flags = 0;
	c->percent = r->options.percent;
	for (uint32_t i = 0; i < c->count; i++) {
		struct sdpower_calibration_distance *const d = &c->distance[i];

		c->flags |= d->flags;
		if (i && r->options.flags & SDPOWER_CALIBRATE_RISING && d->hot_ns < d[-1].hot_ns)
			d->hot_ns = d[-1].hot_ns;
	}
}

sdpower_status sdpower_i_calibrate(const struct sdpower_i_system *system, const sdpower *s,
	const struct sdpower_topology *machine, const struct sdpower_calibrate_options *options,
	struct sdpower_calibration *calibration)
{
	struct run r = { .system = system, .s = s, .machine = machine };
	const uint64_t began_ns = sdpower_i_now();
	sdpower_status status = check_options(options);

	if (status)
		return status;
	if (!s || !is_machine(machine) || machine->cpu_count != sdpower_cpu_count(s) ||
	    !calibration || calibration->struct_size != sizeof(*calibration))
		return SDPOWER_EINVAL;
	r.options = filled(options);
	r.end_ns = began_ns + r.options.total_ns;
	status = sdpower_calibration_start(calibration, sdpower_i_distances(s),
		r.options.default_ns);
	if (!status)
		status = sdpower_domain_signature(s, &calibration->signature);
	if (status)
		return status;
	r.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r.usable = usable_cpus(machine);
	measure_all(&r, calibration);
	free(r.usable);
	if (r.root >= 0)
		close(r.root);
	finish(&r, calibration);
	calibration->wall_ns = sdpower_i_now() - began_ns;
	return (sdpower_status)r.points;
}

sdpower_status sdpower_calibrate(const sdpower *s, const struct sdpower_topology *machine,
	const struct sdpower_calibrate_options *options, struct sdpower_calibration *calibration)
{
	return sdpower_i_calibrate(&sdpower_i_this_system, s, machine, options, calibration);
}

static int has_moved(uint64_t from, uint64_t to)
{
	return to * 100 > from * WIDE_PERCENT || from * 100 > to * WIDE_PERCENT;
}

static int is_measured(const struct sdpower_topology *machine,
	const struct sdpower_calibration_distance *d)
{
	return d->ping_ps && d->cpu < machine->cpu_count && d->other < machine->cpu_count;
}

sdpower_status sdpower_i_recheck(const struct sdpower_i_system *system,
	const struct sdpower_topology *machine, struct sdpower_calibration *calibration)
{
	struct run r = { .system = system, .machine = machine };
	sdpower_status moved = 0, seen = 0;

	if (!is_machine(machine) || !calibration ||
	    calibration->struct_size != sizeof(*calibration) ||
	    calibration->count > SDPOWER_MIGRATION_DISTANCES)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < calibration->count; i++) {
		struct sdpower_calibration_distance *const d = &calibration->distance[i];
		const sdpower_cpu cpus[2] = { d->cpu, d->other };
		struct sdpower_i_pair pair;

		if (!is_measured(machine, d))
			continue;
		begin_pair(&r, &pair, cpus, sdpower_i_now() + RECHECK_NS);
		pair.rules.struct_size = 0;
		sdpower_i_pair_measure(&pair);
		seen += pair.ping_ps != 0;
		if (!pair.ping_ps || !has_moved(d->ping_ps, pair.ping_ps))
			continue;
		d->flags |= SDPOWER_CALIBRATION_UNSTABLE;
		calibration->flags |= SDPOWER_CALIBRATION_UNSTABLE;
		moved++;
	}
	return seen ? moved : SDPOWER_EBUSY;
}

sdpower_status sdpower_calibrate_recheck(const struct sdpower_topology *machine,
	struct sdpower_calibration *calibration)
{
	return sdpower_i_recheck(&sdpower_i_this_system, machine, calibration);
}
