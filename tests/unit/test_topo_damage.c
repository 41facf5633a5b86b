/* SPDX-License-Identifier: MIT */
/*
 * Description: recorded machines with random damage are loaded or refused, never more: a table
 * that comes back passes the check, a refusal says why. Run under the sanitizers in CI.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <topology_help.h>
#include <cmocka.h>

#ifndef MACHINES
#error "MACHINES: folder of the recorded machines"
#endif

static const char *const names[] = {
	"reported/t13-scx-1397-two-sockets-one-node", "reported/t29-lxcfs-731-online-0-allowed-24",
	"reported/t31-go-81180-limit-on-parent-cgroup", "reported/t19-hwloc-762-four-cpuless-nodes",
	"reported/t23-cset-3-offline-half-smt", "own/cgroup-v1-parents", "own/holes-cpu0-offline",
	"own/nothing-known-arm", "own/saved-192",
};

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Bytes that mean something to the parsers are more likely to get somewhere. */
static char random_byte(uint64_t *seed)
{
	static const char bytes[] = "0123456789-,\t\n\\#*+ /:xnf";

	return next_random(seed) % 4u ? bytes[next_random(seed) % (sizeof(bytes) - 1)] :
		(char)next_random(seed);
}

static size_t damage(char *text, size_t length, uint64_t *seed)
{
	const uint32_t hits = 1u + next_random(seed) % 4u;

	for (uint32_t i = 0; i < hits && length; i++) {
		const size_t at = next_random(seed) % length;

		switch (next_random(seed) % 4u) {
		case 0: /* cut out a piece */
			memmove(text + at, text + at + 1, length - at - 1);
			length--;
			break;
		case 1: /* truncate */
			length = next_random(seed) % 8u ? length : at;
			break;
		default:
			text[at] = random_byte(seed);
		}
	}
	return length;
}

static void load_damaged(const char *text, size_t length, uint64_t seed, const char *name)
{
	const uint64_t start = seed;
	char *copy = malloc(length);
	struct machine m;
	sdpower_status status;
	size_t left;

	memcpy(copy, text, length);
	left = damage(copy, length, &seed);
	status = machine_text(&m, copy, left);
	if (status == SDPOWER_OK)
		status = sdpower_topology_check(&m.topology, &m.diag) == SDPOWER_OK ? SDPOWER_OK : 1;
	else if (!m.diag.text[0])
		status = 2;
	if (status > 0)
		fail_msg("%s, seed %llu: %s", name, (unsigned long long)start,
			status == 1 ? m.diag.text : "refused without a reason");
	machine_free(&m);
	free(copy);
}

static void damaged_texts_are_loaded_or_refused(void **state)
{
	uint64_t seed = 20261130;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[4096];
		size_t length = 0;
		char *text;

		snprintf(path, sizeof(path), MACHINES "/%s.topo", names[i]);
		text = read_whole(path, &length);
		assert_non_null(text);
		for (int round = 0; round < 1500; round++)
			load_damaged(text, length, seed++ * 2654435761u, names[i]);
		free(text);
	}
}

static void damaged_strings_are_built_or_refused(void **state)
{
	static const char text[] =
		"numa:2 pack:1 [numa] l3:2 core:2 pu:2 (indexes=numa:core size=4) cap=5,6*2 dist=10,20 arch=arm";
	uint64_t seed = 7;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (int round = 0; round < 20000; round++) {
		char copy[sizeof(text)];
		struct machine m;
		sdpower_status status;

		memcpy(copy, text, sizeof(text));
		copy[damage(copy, sizeof(text) - 1, &seed)] = '\0';
		status = machine_synthetic(&m, copy);
		if (status == SDPOWER_OK ? sdpower_topology_check(&m.topology, &m.diag) != SDPOWER_OK :
				!m.diag.text[0])
			fail_msg("round %d, \"%s\": %d %s", round, copy, status, m.diag.text);
		machine_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_texts_are_loaded_or_refused),
		cmocka_unit_test(damaged_strings_are_built_or_refused),
	};

	return cmocka_run_group_tests_name("topo_damage", tests, NULL, NULL);
}
