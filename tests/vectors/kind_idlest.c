/* SPDX-License-Identifier: MIT */
/* Kind idlest: idlest group and cpu, fork and exec placement. */
#include "vectors.h"
#include "decide/decide.h"

struct expected {
	uint64_t group;
	int64_t in_group, in_local, fork, exec;
};

/* A two-word mask over a file's 64-bit one. */
struct words {
	uint32_t word[2];
};

static struct words split(uint64_t mask)
{
	return (struct words){ { (uint32_t)mask, (uint32_t)(mask >> 32) } };
}

static int64_t idlest_cpu(const struct sdpower *s, const struct sdpower_placement *request,
	uint32_t group)
{
	struct sdpower_pick pick;

	if (sdpower_find_idlest_cpu(s, request, group, &pick))
		return INT64_MIN;
	return pick.cpu == SDPOWER_CPU_NONE ? -1 : (int64_t)pick.cpu;
}

/* The bare rule: records hold cases where it names a cpu that is not allowed. */
static int64_t place(const struct sdpower *s, struct sdpower_placement request, uint32_t flag)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);

	request.flag = flag;
	return (int64_t)sdpower_i_place_task(s, &v, &request).cpu;
}

static void check(struct vec_run *run, struct sdpower *s, struct sdpower_placement *request,
	const struct expected *expected)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
	const uint32_t pos = sdpower_i_position(s, request->cpu);
	struct sdpower_idlest idlest = { .struct_size = sizeof(idlest) };
	struct sdpower_i_level_view l;

	if (sdpower_find_idlest_group(s, request, &idlest)) {
		vec_expect(run, "status", 0, -1);
		return;
	}
	l = sdpower_i_level_at(&v, pos, request->depth);
	vec_expect(run, "group", (int64_t)expected->group, idlest.group == SDPOWER_ID_NONE ? 0 :
		(int64_t)vec_group_mask(&v, sdpower_i_ring(&l, idlest.group)));
	vec_expect(run, "cpu_in_group", expected->in_group, idlest.group == SDPOWER_ID_NONE ? -1 :
		idlest_cpu(s, request, idlest.group));
	vec_expect(run, "cpu_in_local_group", expected->in_local,
		idlest_cpu(s, request, 0));
	vec_expect(run, "fork_cpu", expected->fork, place(s, *request, SDPOWER_SD_BALANCE_FORK));
	vec_expect(run, "exec_cpu", expected->exec, place(s, *request, SDPOWER_SD_BALANCE_EXEC));
}

static void replay(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	struct sdpower_placement request = { .struct_size = sizeof(request), .affinity_words = 2 };
	struct words affinity;
	struct expected expected;
	struct vec_state state;
	struct sdpower *s;
	uint64_t id, tree;

	vec_word(line, "W");
	id = vec_number(line);
	tree = vec_number(line);
	request.depth = (uint32_t)vec_number(line);
	request.cpu = (uint32_t)vec_number(line);
	affinity = split(vec_mask(line));
	request.affinity = affinity.word;
	vec_read_state(line, &state);
	vec_word(line, "=");
	(void)vec_mask(line); /* what 32-bit reciprocals gave */
	expected.in_group = vec_signed(line);
	expected.in_local = vec_signed(line);
	expected.fork = vec_signed(line);
	(void)vec_signed(line);
	expected.group = vec_mask(line);
	expected.exec = vec_signed(line);
	s = line->bad ? NULL : vec_tree_instance(run->trees, (unsigned)tree, UINT32_MAX, UINT32_MAX,
		SDPOWER_DECIDE_CLASSIC, 0);
	if (!vec_complete(line) || !s) {
		vec_malformed(run, "W");
		return;
	}
	vec_begin(run, id);
	vec_store_state(s, &state, vec_tree_cpus(run->trees, (unsigned)tree), id);
	check(run, s, &request, &expected);
}

void vec_idlest(struct vec_run *run)
{
	while (vec_next(run))
		replay(run);
}
