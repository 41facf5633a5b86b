/* SPDX-License-Identifier: MIT */
/*
 * Loading a machine of 384 cpus, against hwloc on the same files: from a folder of files, and
 * from one text (our packed text against the XML that this hwloc exports). Rounds of both
 * alternate, so that a disturbance hits both; the ratio is taken round by round, and its
 * bounds are those of the median with 95 % confidence (order statistics, no distribution
 * assumed). hwloc runs without I/O devices, memory attributes and cpu kinds, which it would
 * otherwise read as well.
 */
#include "bench.h"

#ifndef HAVE_HWLOC
int main(void)
{
	return bench_skip("built without hwloc");
}
#else
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <hwloc.h>
#include <topology_help.h>
#include <sdpower/hosted.h>

#define ROUNDS 61
#define MACHINE "/open/AMD-19h-Zen4-2xEpyc-9654.topo"

static char folder[] = "/tmp/sdpower-bench-XXXXXX";
static char text_path[4096], xml_path[4096], saved_path[4096];

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(EXIT_FAILURE);
}

static void write_file(char *path, const char *content, size_t length)
{
	FILE *f;

	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0755);
			*p = '/';
		}
	f = fopen(path, "w");
	if (!f || fwrite(content, 1, length, f) != length || fclose(f) != 0)
		fail(path);
}

/* Words of a mask of 384 cpus, as kernels write them. */
static void mask_of(const char *list, char *text, size_t size)
{
	uint32_t words[12] = { 0 };
	size_t n = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long a = strtoul(list, &end, 10), b = a;

		if (*end == '-')
			b = strtoul(end + 1, &end, 10);
		for (; a <= b && a < 384; a++)
			words[a / 32] |= 1u << (a % 32);
		list = end + (*end == ',');
	}
	for (int i = 11; i >= 0; i--)
		n += (size_t)snprintf(text + n, size - n, "%08x%c", words[i], i ? ',' : '\n');
}

/* Recorded machines keep only the list where a kernel has list and mask; hwloc reads the mask. */
static void write_mask_beside(const char *path, const char *list)
{
	static const struct {
		const char *list, *mask;
	} names[] = {
		{ "shared_cpu_list", "shared_cpu_map" }, { "cpulist", "cpumap" },
		{ "thread_siblings_list", "thread_siblings" }, { "core_siblings_list", "core_siblings" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(path), tail = strlen(names[i].list);
		char other[4096], mask[128];

		if (length < tail || strcmp(path + length - tail, names[i].list) != 0)
			continue;
		snprintf(other, sizeof(other), "%.*s%s", (int)(length - tail), path, names[i].mask);
		mask_of(list, mask, sizeof(mask));
		write_file(other, mask, strlen(mask));
	}
}

/* Expands the lines of a packed text into files. */
static void expand(const char *text)
{
	char path[4096], content[65536];

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const size_t name = strcspn(line, "\t\n");
		size_t n = 0;

		if (*line == '#' || line[name] != '\t' || line[name - 1] == '/')
			continue;
		snprintf(path, sizeof(path), "%s/%.*s", folder, (int)name, line);
		for (const char *p = line + name + 1; *p != '\n' && n + 2 < sizeof(content); p++) {
			content[n++] = *p;
			if (*p == '\\' && p[1] == 'n') {
				content[n - 1] = '\n';
				p++;
			}
		}
		content[n++] = '\n';
		content[n] = '\0';
		write_file(path, content, n);
		write_mask_beside(path, content);
	}
}

static void check(sdpower_status status, struct sdpower_topology *t, const struct sdpower_diag *diag)
{
	if (status != SDPOWER_OK || t->cpu_count != 384)
		fail(diag->text);
	sdpower_hosted_topology_free(t);
}

static void ours_from_files(void)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_topology *t = NULL;
	const sdpower_status status = sdpower_hosted_topology(folder, 0, &t, &diag);

	check(status, t, &diag);
}

static void load_ours(const char *path)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_topology *t = NULL;
	const sdpower_status status = sdpower_hosted_topology_load(path, &t, &diag);

	check(status, t, &diag);
}

static void ours_from_text(void) { load_ours(text_path); }
static void ours_from_saved(void) { load_ours(saved_path); }

static hwloc_topology_t load_theirs(const char *xml)
{
	hwloc_topology_t t;

	if (hwloc_topology_init(&t) != 0)
		fail("hwloc_topology_init");
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
	if (xml && hwloc_topology_set_xml(t, xml) != 0)
		fail("hwloc_topology_set_xml");
	if (hwloc_topology_load(t) != 0 || hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU) != 384)
		fail("hwloc_topology_load");
	return t;
}

/* The environment names the folder while files are read, and only then. */
static hwloc_topology_t theirs_below_folder(void)
{
	hwloc_topology_t t;

	setenv("HWLOC_FSROOT", folder, 1);
	setenv("HWLOC_COMPONENTS", "linux,stop", 1);
	t = load_theirs(NULL);
	unsetenv("HWLOC_FSROOT");
	unsetenv("HWLOC_COMPONENTS");
	return t;
}

static void theirs_from_files(void) { hwloc_topology_destroy(theirs_below_folder()); }
static void theirs_from_xml(void) { hwloc_topology_destroy(load_theirs(xml_path)); }

/* hwloc's own small parser instead of libxml2, which is the quicker of the two. */
static void theirs_from_xml_without_libxml(void)
{
	setenv("HWLOC_LIBXML", "0", 1);
	theirs_from_xml();
	unsetenv("HWLOC_LIBXML");
}

static double time_of(void (*load)(void))
{
	const uint64_t begin = bench_now();

	load();
	return (double)(bench_now() - begin) / 1e6;
}

static void compare(const char *name, void (*ours)(void), void (*theirs)(void))
{
	const int low = (int)((ROUNDS - 1.96 * sqrt(ROUNDS)) / 2.0);
	double a[ROUNDS], b[ROUNDS], ratio[ROUNDS];

	ours();
	theirs();
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 2) {
			b[i] = time_of(theirs);
			a[i] = time_of(ours);
		} else {
			a[i] = time_of(ours);
			b[i] = time_of(theirs);
		}
		ratio[i] = b[i] / a[i];
	}
	qsort(a, ROUNDS, sizeof(a[0]), bench_compare);
	qsort(b, ROUNDS, sizeof(b[0]), bench_compare);
	qsort(ratio, ROUNDS, sizeof(ratio[0]), bench_compare);
	printf("%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\t%.1f\n", name, a[0], a[ROUNDS / 2], b[0],
		b[ROUNDS / 2], ratio[ROUNDS / 2], ratio[low], ratio[ROUNDS - 1 - low]);
	fflush(stdout);
}

static void prepare(const char *text, size_t length)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_topology *t = NULL;
	hwloc_topology_t theirs;

	if (!mkdtemp(folder))
		fail("mkdtemp");
	snprintf(text_path, sizeof(text_path), "%s/machine.topo", folder);
	snprintf(xml_path, sizeof(xml_path), "%s/machine.xml", folder);
	snprintf(saved_path, sizeof(saved_path), "%s/saved.topo", folder);
	write_file(text_path, text, length);
	expand(text);
	theirs = theirs_below_folder();
	if (hwloc_topology_export_xml(theirs, xml_path, 0) != 0)
		fail("hwloc_topology_export_xml");
	hwloc_topology_destroy(theirs);
	if (sdpower_hosted_topology(folder, 0, &t, &diag) != SDPOWER_OK ||
			sdpower_hosted_topology_save(t, saved_path, &diag) != SDPOWER_OK)
		fail(diag.text);
	sdpower_hosted_topology_free(t);
}

int main(void)
{
	const char *machines = getenv("SDPOWER_MACHINES");
	char path[4096], command[64];
	size_t length = 0;
	char *text;

	snprintf(path, sizeof(path), "%s" MACHINE, machines ? machines : MACHINES);
	text = read_whole(path, &length);
	if (!text)
		return bench_skip("the recorded machine is not here (set SDPOWER_MACHINES)");
	prepare(text, length);
	free(text);
	printf("pair\tours_best_ms\tours_median_ms\thwloc_best_ms\thwloc_median_ms\tratio\tratio_low\t"
		"ratio_high\n");
	compare("files", ours_from_files, theirs_from_files);
	compare("text_xml", ours_from_text, theirs_from_xml);
	compare("text_xml_without_libxml", ours_from_text, theirs_from_xml_without_libxml);
	compare("saved_xml", ours_from_saved, theirs_from_xml);
	compare("saved_xml_without_libxml", ours_from_saved, theirs_from_xml_without_libxml);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif
