/* SPDX-License-Identifier: MIT */
/* Energy: which counters are taken, their restart, and the direction of the model. */
#include "pool_test.h"
#include "folder.h"
#include "energy.h"

static void write_text(const struct folder *f, const char *name, const char *text)
{
	folder_write(f, name, text, strlen(text));
}

static void make_zone(const struct folder *f, const char *zone, const char *name, const char *uj)
{
	char path[96];

	folder_make(f, zone);
	snprintf(path, sizeof(path), "%s/name", zone);
	write_text(f, path, name);
	snprintf(path, sizeof(path), "%s/energy_uj", zone);
	write_text(f, path, uj);
	snprintf(path, sizeof(path), "%s/max_energy_range_uj", zone);
	write_text(f, path, "10000000\n");
}

static void sums_packages_and_survives_a_restart(void **state)
{
	struct folder f;
	struct energy e;

	(void)state;
	folder_open(&f);
	make_zone(&f, "intel-rapl:0", "package-0\n", "9000000\n");
	make_zone(&f, "intel-rapl:1", "package-1\n", "1000000\n");
	make_zone(&f, "intel-rapl:0:0", "core\n", "5000000\n");
	make_zone(&f, "intel-rapl:2", "psys\n", "5000000\n");
	make_zone(&f, "dtpm", "package-9\n", "5000000\n");
	energy_open(&e, f.path);
	assert_true(energy_measurable(&e));
	assert_int_equal(e.count, 2);
	energy_start(&e);
	write_text(&f, "intel-rapl:0/energy_uj", "500000\n");
	write_text(&f, "intel-rapl:1/energy_uj", "1250000\n");
	write_text(&f, "intel-rapl:0:0/energy_uj", "9000000\n");
	energy_sample(&e);
	assert_int_equal(e.sum, 1500000 + 250000);
	assert_true(energy_joules(&e) > 1.7499 && energy_joules(&e) < 1.7501);
	energy_start(&e);
	assert_int_equal(e.sum, 0);
	folder_close(&f);
}

static void no_counters_no_measurement(void **state)
{
	struct folder f;
	struct energy e;

	(void)state;
	folder_open(&f);
	energy_open(&e, f.path);
	assert_false(energy_measurable(&e));
	folder_close(&f);
	energy_open(&e, "/nowhere/at/all");
	assert_false(energy_measurable(&e));
	assert_non_null(strstr(energy_source(false), "modelled"));
	assert_non_null(strstr(energy_source(true), "measured"));
	assert_null(strstr(energy_source(true), "modelled"));
}

/* Eight loops on one package with both threads of four cores, or on eight cores of two. */
static void the_model_prefers_a_full_package(void **state)
{
	struct energy_use packed = { .elapsed = 10, .packages = 10, .cores = 40, .threads = 80 };
	struct energy_use spread = { .elapsed = 10, .packages = 20, .cores = 80, .threads = 80 };
	double p = energy_model(&packed) / 10, s = energy_model(&spread) / 10;

	(void)state;
	/* Printed averages: 209.33 and 272.40 W. */
	assert_true(p > 200 && p < 220);
	assert_true(s > 262 && s < 282);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sums_packages_and_survives_a_restart, watchdog),
		cmocka_unit_test_setup(no_counters_no_measurement, watchdog),
		cmocka_unit_test_setup(the_model_prefers_a_full_package, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
