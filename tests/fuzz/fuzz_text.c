/* SPDX-License-Identifier: MIT */
/* Description: any bytes given as `.topo` text are loaded into a sound table or refused with a reason. */
#include "fuzz.h"

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"

const char *const fuzz_seeds[] = {
	CPU "possible\t0-3\n" CPU "online\t0-2\n"
	CPU "cpu0/topology/thread_siblings_list\t0-1\n" CPU "cpu1/topology/thread_siblings_list\t0-1\n"
	CPU "cpu0/topology/core_siblings_list\t0-3\n" CPU "cpu2/topology/physical_package_id\t0\n"
	CPU "cpu0/cache/index2/level\t2\n" CPU "cpu0/cache/index2/type\tUnified\n"
	CPU "cpu0/cache/index2/shared_cpu_list\t0-3\n"
	NODE "online\t0-1\n" NODE "possible\t0-1\n" NODE "node0/cpulist\t0-1\n"
	NODE "node1/cpulist\t2-3\n" NODE "node0/distance\t10 20\n" NODE "node1/distance\t20 10\n"
	"proc/self/status\tCpus_allowed:\\tf\\nCpus_allowed_list:\\t0-3\\n\nmeta/arch\tx86_64\n",
	CPU "possible\t0-1\n" CPU "cpu0/cpu_capacity\t512\n" CPU "cpu1/cpu_capacity\t1024\n"
	"proc/self/cgroup\t0::/a/b\\n\nsys/fs/cgroup/a/b/cpu.max\t50000 100000\n"
	"sys/fs/cgroup/a/cpuset.cpus.effective\t0-1\n"
	"proc/self/mountinfo\t30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\\n\n",
	NULL
};
const char *const fuzz_words[] = { CPU, NODE, "\n", "\t", "\\n", "\\t", "\\\\", "0-", ",", "#",
	"possible", "online", "offline", "topology/", "cache/index0/", "cache/index3/",
	"shared_cpu_list", "shared_cpu_map", "core_cpus", "core_cpus_list", "cluster_cpus_list",
	"cluster_id", "die_id", "core_id", "book_siblings", "drawer_id", "drawer_siblings_list",
	"cpu2/", "cpu3/", "cpu65535/", "node2/", "distance", "cpumap", "65535", "4294967296",
	"ffffffff,", "00000003", "-1", "max 100000", "max", "sys/fs/cgroup/cpuset/", "cpu.cfs_quota_us",
	"cpu.cfs_period_us", "cpuset.cpus", "proc/self/", "s390x", "ppc64le", "aarch64", "sdpower", NULL };
const uint32_t fuzz_rounds = 9000;
const uint32_t fuzz_longest = 3000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct fuzz_block b = { NULL, 0 };
	sdpower_status status = SDPOWER_ENOSPC;

	for (int i = 0; i < 8 && status == SDPOWER_ENOSPC && t.memory_needed < 1u << 26; i++) {
		free(b.memory);
		b = fuzz_block_of(t.memory_needed, 8);
		status = sdpower_topology_text((const char *)data, size, b.memory, b.size, &t, &diag);
		fuzz_check_untouched(&b, b.size);
		FUZZ_CHECK(status != SDPOWER_ENOSPC || t.memory_needed > b.size);
	}
	FUZZ_CHECK(fuzz_known_status(status));
	FUZZ_CHECK(diag.status == status && diag.text[sizeof(diag.text) - 1] == '\0');
	if (status == SDPOWER_OK)
		fuzz_machine(&t);
	else
		FUZZ_CHECK(diag.text[0]);
	free(b.memory);
	return 0;
}
