/* SPDX-License-Identifier: MIT */
/* Description: the running machine, folders and saved files become tables in memory. */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>
#include <topology_help.h>
#include <cmocka.h>
#include <sdpower/hosted.h>

static char folder[] = "/tmp/sdpower-hosted-XXXXXX";
static struct sdpower_diag diag = { .struct_size = sizeof(diag) };

static const char *in_folder(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Writes a file below the folder, with all folders above it. */
static void put(const char *name, const char *content)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s", in_folder(name));
	for (char *p = path + strlen(folder) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0755);
			*p = '/';
		}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	assert_int_equal(fclose(f), 0);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void this_machine_is_read(void **state)
{
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };
	struct sdpower_topology *t = NULL;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (sdpower_hosted_topology(NULL, 0, &t, &diag) != SDPOWER_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(sdpower_topology_summarise(t, &s), SDPOWER_OK);
	assert_in_range(s.usable_cpus, 1, CPU_COUNT(&set));
	assert_true(s.cores <= s.usable_cpus);
	sdpower_hosted_topology_free(t);
}

static void affinity_narrows_this_machine(void **state)
{
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };
	struct sdpower_topology *t = NULL;
	cpu_set_t before, one;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(sdpower_hosted_topology("/", 0, &t, &diag), SDPOWER_OK);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(sdpower_topology_summarise(t, &s), SDPOWER_OK);
	assert_int_equal(s.usable_cpus, 1);
	sdpower_hosted_topology_free(t);
}

static void a_folder_stands_for_a_machine(void **state)
{
	struct sdpower_topology *t = NULL;
	char mounts[20000];

	(void)state;
	put("sys/devices/system/cpu/online", "0-3\n");
	put("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
	put("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
	put("meta/arch", "s390x\n");
	put("proc/self/status", "Cpus_allowed_list:\t0,2-3\n");
	memset(mounts, 'x', sizeof(mounts) - 1); /* longer than any buffer we start with */
	mounts[sizeof(mounts) - 1] = '\0';
	memcpy(mounts + sizeof(mounts) - 32, "\nc /cg cgroup rw,cpuset 0 0\n\n\n\n", 31);
	put("proc/mounts", mounts);
	put("proc/self/cgroup", "1:cpuset:/\n");
	put("cg/cpuset.cpus", "2-3\n");
	if (sdpower_hosted_topology(folder, 0, &t, &diag) != SDPOWER_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(t->arch, SDPOWER_ARCH_S390);
	assert_int_equal(t->cpu_count, 4);
	assert_int_equal(t->cpus[2].core, t->cpus[0].core);
	assert_int_equal(t->allowed[0], 0xc);
	sdpower_hosted_topology_free(t);
}

static void tables_are_saved_and_loaded(void **state)
{
	struct sdpower_topology *t = NULL, *again = NULL;

	(void)state;
	assert_int_equal(sdpower_hosted_topology_synthetic("numa:8 core:16 pu:4 dist=10,30", &t, &diag),
		SDPOWER_OK);
	assert_int_equal(sdpower_hosted_topology_save(t, in_folder("saved.topo"), &diag), SDPOWER_OK);
	assert_int_equal(sdpower_hosted_topology_load(in_folder("saved.topo"), &again, &diag), SDPOWER_OK);
	assert_int_equal(again->cpu_count, 512);
	assert_memory_equal(t->cpus, again->cpus, sizeof(t->cpus[0]) * t->cpu_count);
	assert_memory_equal(t->distances, again->distances, sizeof(t->distances[0]) * 64);
	sdpower_hosted_topology_free(t);
	sdpower_hosted_topology_free(again);
}

static void failures_have_a_reason(void **state)
{
	struct sdpower_topology *t = NULL;

	(void)state;
	assert_int_equal(sdpower_hosted_topology("/nowhere", 0, &t, &diag), SDPOWER_ENOENT);
	assert_non_null(strstr(diag.text, "/nowhere: "));
	assert_int_equal(sdpower_hosted_topology(NULL, 64, &t, &diag), SDPOWER_EINVAL);
	assert_int_equal(sdpower_hosted_topology(NULL, 0, NULL, &diag), SDPOWER_EINVAL);
	assert_int_equal(sdpower_hosted_topology_load(in_folder("none"), &t, &diag), SDPOWER_ENOENT);
	assert_non_null(strstr(diag.text, "none"));
	assert_int_equal(sdpower_hosted_topology_load("/tmp", &t, &diag), SDPOWER_EIO);
	assert_int_equal(sdpower_hosted_topology_load(NULL, &t, &diag), SDPOWER_EINVAL);
	put("broken.topo", "no tab\n");
	assert_int_equal(sdpower_hosted_topology_load(in_folder("broken.topo"), &t, &diag), SDPOWER_EPARSE);
	assert_int_equal(diag.line, 1);
	assert_int_equal(sdpower_hosted_topology_synthetic("core", &t, &diag), SDPOWER_EPARSE);
	assert_int_equal(sdpower_hosted_topology_synthetic("core:1", NULL, &diag), SDPOWER_EINVAL);
	assert_null(t);
	assert_int_equal(sdpower_hosted_topology_synthetic("core:1", &t, NULL), SDPOWER_OK);
	assert_int_equal(sdpower_hosted_topology_save(t, "/nowhere/x", &diag), SDPOWER_EIO);
	assert_int_equal(sdpower_hosted_topology_save(t, NULL, &diag), SDPOWER_EINVAL);
	assert_int_equal(sdpower_hosted_topology_save(NULL, "/tmp/x", &diag), SDPOWER_EINVAL);
	sdpower_hosted_topology_free(t);
	sdpower_hosted_topology_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_is_read),
		cmocka_unit_test(affinity_narrows_this_machine),
		cmocka_unit_test(a_folder_stands_for_a_machine),
		cmocka_unit_test(tables_are_saved_and_loaded),
		cmocka_unit_test(failures_have_a_reason),
	};

	return cmocka_run_group_tests_name("hosted", tests, make_folder, remove_folder);
}
