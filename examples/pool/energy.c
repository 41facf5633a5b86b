/* SPDX-License-Identifier: MIT */
/*
 * RAPL and the model.
 *
 * The model is linear in what is in use. Its four constants are a least-squares fit to the
 * twelve averages of the power-aware scheduling series of April 2013 (2-socket Sandy Bridge
 * EP, 8 cores and 16 threads each, 1 to 32 busy loops, two policies; linux-kernel, 11 April
 * 2013); the largest residual is 8.1 W, at 199 W. The library's own default is the same fit, but
 * there each thread counts 1.35 W and the core 10.44 W; here the first thread is counted with
 * the core. The model knows no frequencies and no idle states,
 * and this machine is not that one: only the direction of a difference is worth anything.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "energy.h"

#define BASE_WATT 144.1    /* nothing runs */
#define PACKAGE_WATT 20.6  /* a package with a running cpu */
#define CORE_WATT 11.8     /* a core that runs */
#define THREAD_WATT 1.3    /* its second thread */

static bool read_number(const char *zone, const char *file, uint64_t *out)
{
	char path[352];
	bool found;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", zone, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	found = fscanf(f, "%" SCNu64, out) == 1;
	fclose(f);
	return found;
}

static bool is_package(const char *zone)
{
	char path[352], name[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/name", zone);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strncmp(name, "package-", strlen("package-"));
}

/* Packages only: the zones below them (core, uncore, dram) are parts of the same energy. */
static void add_zone(struct energy *e, const char *root, const char *entry)
{
	struct energy_zone *zone = &e->zones[e->count];

	if (e->count == ENERGY_ZONES || strncmp(entry, "intel-rapl:", strlen("intel-rapl:")) ||
	    strlen(root) + strlen(entry) + 2 > sizeof(zone->path))
		return;
	snprintf(zone->path, sizeof(zone->path), "%.250s/%.64s", root, entry);
	if (is_package(zone->path) && read_number(zone->path, "energy_uj", &zone->last) &&
	    read_number(zone->path, "max_energy_range_uj", &zone->range))
		e->count++;
}

void energy_open(struct energy *e, const char *root)
{
	struct dirent *entry;
	DIR *dir = opendir(root);

	memset(e, 0, sizeof(*e));
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL)
		add_zone(e, root, entry->d_name);
	closedir(dir);
}

void energy_start(struct energy *e)
{
	energy_sample(e);
	e->sum = 0;
}

void energy_sample(struct energy *e)
{
	unsigned i;
	uint64_t now;

	for (i = 0; i < e->count; i++) {
		struct energy_zone *zone = &e->zones[i];

		if (!read_number(zone->path, "energy_uj", &now))
			continue;
		e->sum += now >= zone->last ? now - zone->last : zone->range - zone->last + now;
		zone->last = now;
	}
}

double energy_joules(const struct energy *e)
{
	return (double)e->sum / 1e6;
}

double energy_model(const struct energy_use *use)
{
	double second = use->threads > use->cores ? use->threads - use->cores : 0;

	return BASE_WATT * use->elapsed + PACKAGE_WATT * use->packages +
	       CORE_WATT * use->cores + THREAD_WATT * second;
}

const char *energy_source(bool measured)
{
	return measured ? "measured by RAPL, packages only" :
		"modelled, not measured: a 2-socket server of 2013 (144.1 W + 20.6 W per package "
		"+ 11.8 W per core + 1.3 W per second thread in use)";
}
