/* SPDX-License-Identifier: MIT */
/*
 * Description: the recorded machines read group by group give the same tables as read file by
 * file, and a table survives being saved.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <dirent.h>
#include <topology_help.h>
#include <cmocka.h>
#include <topology/topo_index.h>

#ifndef MACHINES
#error "MACHINES: folder of the recorded machines"
#endif

#define BLOCK 1000000u

/* Loads a text through the callback, as a folder of files would be. */
static void load_in_groups(struct machine *m, const char *text, size_t length, void *index_memory)
{
	struct sdpower_i_topo_index index;
	struct sdpower_linux_source source;
	unsigned char *rest;
	size_t rest_size;

	memset(&index, 0, sizeof(index));
	index.text = text;
	index.length = (uint32_t)length;
	assert_int_equal(sdpower_i_topo_index(&index, index_memory, BLOCK, &rest, &rest_size), SDPOWER_OK);
	memset(&source, 0, sizeof(source));
	source.struct_size = sizeof(source);
	source.arch = SDPOWER_ID_NONE;
	source.read = sdpower_i_topo_read;
	source.context = &index;
	*m = machine_new();
	m->memory = malloc(BLOCK);
	if (sdpower_topology_linux(&source, m->memory, BLOCK, &m->topology, &m->diag) != SDPOWER_OK)
		fail_msg("%s", m->diag.text);
}

static void compare(const char *path, void *index_memory)
{
	struct machine groups, every, saved;
	char buffer[65536];
	size_t length = 0;
	char *text = read_whole(path, &length);

	load_in_groups(&groups, text, length, index_memory);
	if (machine_text(&every, text, length) != SDPOWER_OK)
		fail_msg("%s: %s", path, every.diag.text);
	if (groups.topology.cpu_count != every.topology.cpu_count ||
			groups.topology.overlapping != every.topology.overlapping ||
			memcmp(groups.topology.cpus, every.topology.cpus,
				sizeof(every.topology.cpus[0]) * every.topology.cpu_count) != 0)
		fail_msg("%s: in groups is not file by file", path);
	assert_int_equal(sdpower_topology_write(&every.topology, buffer, sizeof(buffer), &length, NULL),
		SDPOWER_OK);
	assert_int_equal(machine_text(&saved, buffer, length), SDPOWER_OK);
	assert_memory_equal(saved.topology.cpus, every.topology.cpus,
		sizeof(every.topology.cpus[0]) * every.topology.cpu_count);
	assert_int_equal(!saved.topology.allowed, !every.topology.allowed);
	machine_free(&groups);
	machine_free(&every);
	machine_free(&saved);
	free(text);
}

static void both_modes_agree(void **state)
{
	void *index_memory = malloc(BLOCK);
	unsigned machines = 0;
	struct dirent *entry;
	DIR *dir = opendir(MACHINES);

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char path[4096];

		if (!strstr(entry->d_name, ".topo"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", MACHINES, entry->d_name);
		compare(path, index_memory);
		machines++;
	}
	closedir(dir);
	free(index_memory);
	assert_in_range(machines, 12, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_modes_agree),
	};

	return cmocka_run_group_tests_name("linux_modes", tests, NULL, NULL);
}
