/* SPDX-License-Identifier: MIT */
/* Description: the Linux loader's limits of control groups, and who is allowed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <linux_machine.h>

static void affinity_and_cpuset_are_cut_with_each_other(void **state)
{
	(void)state;
	start("0-7");
	put(&files, "Name:\tx\nCpus_allowed:\t0f\n", "proc/self/status");
	expect_usable("affinity", "0 1 2 3");
	put(&files, "0::/a/b", "proc/self/cgroup");
	put(&files, "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0", "proc/mounts");
	put(&files, "2-5", "sys/fs/cgroup/a/cpuset.cpus.effective"); /* b has none: inherited */
	expect_usable("cpuset of the parent", "2 3");
	put(&files, "3", "sys/fs/cgroup/a/b/cpuset.cpus.effective");
	expect_usable("cpuset", "3");
	put(&files, "6", "sys/fs/cgroup/a/b/cpuset.cpus.effective");
	expect_usable("contradiction: the kernel is right", "0 1 2 3");
	put(&files, "5", CPU "online");
	put(&files, "5", "sys/fs/cgroup/a/b/cpuset.cpus.effective");
	expect_usable("nobody left: we do run somewhere", "0 1 2 3");
}

/* Masks of files are over os ids, the table's over cpu numbers. */
static void ids_with_holes_keep_their_cpus(void **state)
{
	(void)state;
	start("1,4,33,63-64,70");
	put(&files, "Cpus_allowed_list:\t4,63,70", "proc/self/status");
	expect_usable("holes", "4 63 70");
	put(&files, "Cpus_allowed:\t1,80000000,00000002", "proc/self/status");
	expect_usable("holes, and a mask of three words", "1 63 64");
}

static void old_cpusets_are_found(void **state)
{
	(void)state;
	start("0-7");
	put(&files, "/job", "proc/self/cpuset");
	put(&files, "none /dev/cpuset cpuset rw 0 0", "proc/mounts");
	put(&files, "1-2", "dev/cpuset/job/cpus");
	expect_usable("file system of type cpuset", "1 2");
	put(&files, "x /dev/cpuset cgroup rw,cpuset,noprefix 0 0", "proc/mounts");
	expect_usable("without prefix", "1 2");
	put(&files, "a /sys/fs/cg\\040s cgroup rw,cpuset 0 0\nb /v2 cgroup2 rw 0 0", "proc/mounts");
	put(&files, "4:cpuset:/k\n0::/", "proc/self/cgroup");
	put(&files, "6", "sys/fs/cg s/k/cpuset.cpus");
	put(&files, "5", "v2/cpuset.cpus.effective");
	expect_usable("hybrid, a blank in the path", "6");
	put(&files, "7", "sys/fs/cg s/k/cpuset.effective_cpus");
	expect_usable("effective", "7");
}

static void namespaces_hide_part_of_the_path(void **state)
{
	(void)state;
	start("0-7");
	put(&files, "30 23 0:26 /pod /sys/fs/cgroup rw - cgroup2 c rw", "proc/self/mountinfo");
	put(&files, "0::/pod/app", "proc/self/cgroup");
	put(&files, "4", "sys/fs/cgroup/app/cpuset.cpus.effective");
	put(&files, "1", "sys/fs/cgroup/cpuset.cpus.effective");
	expect_usable("below the root of the mount", "4");
	put(&files, "0::/podium", "proc/self/cgroup");
	expect_usable("not below it", "1");
	put(&files, "0::/../other", "proc/self/cgroup");
	expect_usable("outside", "1");
}

static void expect_quota(uint32_t milli)
{
	struct machine m = load();

	assert_int_equal(m.topology.quota_milli, milli);
	assert_int_equal(machine_summary(&m).usable_cpus, 4);
	machine_free(&m);
}

static void the_smallest_quota_of_all_ancestors_holds(void **state)
{
	(void)state;
	start("0-3");
	put(&files, "0::/a/b", "proc/self/cgroup");
	put(&files, "30 23 0:26 / /sys/fs/cgroup rw shared:4 master:1 - cgroup2 cgroup2 rw",
		"proc/self/mountinfo");
	expect_quota(0);
	put(&files, "max 100000", "sys/fs/cgroup/a/b/cpu.max");
	expect_quota(0);
	put(&files, "300000 100000", "sys/fs/cgroup/a/cpu.max");
	expect_quota(3000);
	put(&files, "150000 100000", "sys/fs/cgroup/a/b/cpu.max");
	expect_quota(1500);
	put(&files, "50000", "sys/fs/cgroup/cpu.max");
	expect_quota(500);
	put(&files, "1 1000000", "sys/fs/cgroup/cpu.max");
	expect_quota(1);
}

static void old_quotas_are_read(void **state)
{
	(void)state;
	start("0-3");
	put(&files, "3:cpuacct,cpu:/x", "proc/self/cgroup");
	put(&files, "c /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpuacct,cpu 0 0", "proc/mounts");
	put(&files, "-1", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us");
	put(&files, "100000", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us");
	expect_quota(0);
	put(&files, "250000", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us");
	expect_quota(2500);
}

static void wrong_limits_are_refused(void **state)
{
	static const struct {
		const char *path, *content;
	} wrong[] = {
		{ "sys/fs/cgroup/cpu.max", "lots" },
		{ "sys/fs/cgroup/cpu.max", "1 0" },
		{ "sys/fs/cgroup/cpu.max", "1 x" },
		{ "sys/fs/cgroup/cpu.max", "1 2 3" },
		{ "sys/fs/cgroup/cpu.max", "99999999999 1" },
		{ "sys/fs/cgroup/cpuset.cpus.effective", "0-" },
		{ "proc/self/status", "Cpus_allowed_list:\t3-" },
		{ "proc/self/status", "Cpus_allowed:\tx" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine m;
		sdpower_status status;

		start("0-3");
		put(&files, "0::/", "proc/self/cgroup");
		put(&files, wrong[i].content, "%s", wrong[i].path);
		status = machine_files(&m, &files, 0);
		if (status != SDPOWER_EPARSE || !strstr(m.diag.text, wrong[i].path))
			fail_msg("%s \"%s\": %d \"%s\"", wrong[i].path, wrong[i].content, status, m.diag.text);
		machine_free(&m);
	}
}

static void the_host_may_give_the_affinity(void **state)
{
	static const uint32_t affinity[] = { 0x6 };
	struct sdpower_linux_source source;
	struct machine m;

	(void)state;
	start("0-63");
	put(&files, "Cpus_allowed_list:\t9", "proc/self/status");
	source = files_source(&files, 0);
	source.affinity = affinity;
	source.affinity_words = 1;
	assert_int_equal(machine_source(&m, &source), SDPOWER_OK);
	assert_int_equal(machine_summary(&m).usable_cpus, 2);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(affinity_and_cpuset_are_cut_with_each_other),
		cmocka_unit_test(ids_with_holes_keep_their_cpus),
		cmocka_unit_test(old_cpusets_are_found),
		cmocka_unit_test(namespaces_hide_part_of_the_path),
		cmocka_unit_test(the_smallest_quota_of_all_ancestors_holds),
		cmocka_unit_test(old_quotas_are_read),
		cmocka_unit_test(wrong_limits_are_refused),
		cmocka_unit_test(the_host_may_give_the_affinity),
	};

	return cmocka_run_group_tests_name("linux_limits", tests, NULL, NULL);
}
