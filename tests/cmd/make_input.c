/* SPDX-License-Identifier: MIT */
/*
 * make_input MACHINE KIND: prints a snapshot of a machine whose first cpus are busy, with a
 * question of that kind (none, busiest, wake, place), its counters (counters), or a made-up
 * calibration (calibration).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>
#include <sdpower/hosted.h>

static sdpower *make(const char *machine, struct sdpower_topology **table)
{
	struct sdpower_config config = { .struct_size = sizeof(config), .tree = SDPOWER_TREE_CLASSIC,
		.decisions = SDPOWER_DECIDE_CLASSIC,
		.flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS };
	size_t size, align;
	sdpower *s;

	if (sdpower_hosted_topology_synthetic(machine, table, NULL))
		return NULL;
	config.topology = *table;
	if (sdpower_memory_needed(&config, &size, &align) ||
			sdpower_init(aligned_alloc(align, size), size, &config, &s))
		return NULL;
	return s;
}

/* A quarter of the cpus have two tasks each. */
static void load(sdpower *s)
{
	for (sdpower_cpu cpu = 0; cpu < (sdpower_cpu_count(s) + 3) / 4; cpu++) {
		sdpower_idle_exit(s, cpu, 0);
		sdpower_set_load(s, cpu, 2, 2048);
		for (uint64_t tick = 1; tick < 20; tick++)
			sdpower_tick(s, cpu, tick * 4000000);
	}
}

/* Each distance costs seven times as much as the one before; the last is not measured. */
static sdpower_status calibrate(const sdpower *s, char *text, size_t size, size_t *length)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	struct sdpower_domain domain;
	uint64_t cost = 700;
	uint32_t count = 0;

	while (sdpower_domain_at(s, 0, count, &domain) == SDPOWER_OK)
		count++;
	if (sdpower_calibration_start(&c, count, 0) || sdpower_domain_signature(s, &c.signature))
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i + 1 < count || (i < count && count == 1); i++, cost *= 7) {
		struct sdpower_calibration_distance *d = &c.distance[i];

		d->flags = 0;
		d->pairs = 3;
		d->cpu = 0;
		d->other = i + 1;
		d->size = 65536u << i;
		d->cost_ns = d->low_ns = d->high_ns = d->there_ns = d->back_ns = cost;
		d->hot_ns = 2 * cost;
	}
	c.flags = count > 1 ? SDPOWER_CALIBRATION_DEFAULTED : 0;
	return sdpower_calibration_write(&c, text, size, length);
}

static sdpower_status write(const sdpower *s, const char *kind, char *text, size_t size, size_t *length)
{
	static const char *const kinds[] = { "none", "busiest", "wake", "place" };
	const sdpower_cpu last = sdpower_cpu_count(s) - 1;
	struct sdpower_question q = { .struct_size = sizeof(q), .kind = 9,
		.busiest = { .struct_size = sizeof(q.busiest), .cpu = last, .depth = 1,
			.idle = SDPOWER_CPU_NEWLY_IDLE },
		.wake = { .struct_size = sizeof(q.wake), .prev = last, .weight = 1024,
			.waker_weight = 1024 },
		.place = { .struct_size = sizeof(q.place), .flag = SDPOWER_SD_BALANCE_FORK } };

	if (!strcmp(kind, "counters"))
		return sdpower_counters_write(s, text, size, length);
	if (!strcmp(kind, "calibration"))
		return calibrate(s, text, size, length);
	for (uint32_t i = 0; i < 4; i++)
		if (!strcmp(kind, kinds[i]))
			q.kind = i;
	return sdpower_snapshot_write(s, &q, text, size, length);
}

int main(int argc, char **argv)
{
	static char text[1u << 20];
	struct sdpower_topology *table = NULL;
	sdpower *s = argc == 3 ? make(argv[1], &table) : NULL;
	size_t length;
	int bad;

	if (!s)
		return EXIT_FAILURE;
	load(s);
	bad = write(s, argv[2], text, sizeof(text), &length) != SDPOWER_OK || fputs(text, stdout) < 0;
	free(s);
	sdpower_hosted_topology_free(table);
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
