/* SPDX-License-Identifier: MIT */
/* Questions of every kind with arbitrary arguments, and what may come back. */
#include "fuzz.h"
#include "state/instance.h"

/* An answer that must stay as it is when the call fails. */
#define BEFORE 0x5a

static int untouched(const void *answer, size_t size)
{
	for (const unsigned char *byte = answer; size--; byte++)
		if (*byte != BEFORE)
			return 0;
	return 1;
}

static int has(const uint32_t *mask, uint32_t words, uint32_t cpu)
{
	return cpu / 32 < words && mask[cpu / 32] >> (cpu % 32) & 1u;
}

/* A mask of arbitrary length: missing, empty, short, exact or too long. */
struct fuzz_mask {
	uint32_t bits[10];
	const uint32_t *words;
	uint32_t count;
};

static void draw_mask(struct fuzz_input *in, struct fuzz_mask *mask)
{
	const uint32_t kind = fuzz_u8(in);

	mask->words = kind & 3u ? mask->bits : NULL;
	mask->count = (kind >> 2) % 11u;
	for (uint32_t i = 0; i < 10; i++)
		mask->bits[i] = kind & 128u ? UINT32_MAX : fuzz_u32(in);
}

static int permits(const struct fuzz_model *m, const struct fuzz_mask *mask, sdpower_cpu cpu)
{
	return cpu < m->cpus && has(m->map, m->words, cpu) &&
		(!mask->words || has(mask->words, mask->count, cpu));
}

static int permits_any(const struct fuzz_model *m, const struct fuzz_mask *mask)
{
	for (sdpower_cpu cpu = 0; cpu < m->cpus; cpu++)
		if (permits(m, mask, cpu))
			return 1;
	return 0;
}

static void check_pick(const struct fuzz_model *m, const struct fuzz_mask *mask, sdpower_status status,
	const struct sdpower_pick *pick)
{
	if (status != SDPOWER_OK) {
		FUZZ_CHECK(status == SDPOWER_EINVAL || status == SDPOWER_ENOENT ||
			status == SDPOWER_ENOSYS || status == SDPOWER_ESTALE);
		FUZZ_CHECK(untouched(pick, sizeof(*pick)));
		return;
	}
	FUZZ_CHECK(pick->reason && !(pick->reason & SDPOWER_REASON_SWAPPED));
	FUZZ_CHECK((pick->cpu == SDPOWER_CPU_NONE) ==
		!!(pick->reason & (SDPOWER_REASON_NO_CPU | SDPOWER_REASON_SEARCHER)));
	FUZZ_CHECK(pick->cpu == SDPOWER_CPU_NONE || permits(m, mask, pick->cpu));
}

static void ask_wake(struct fuzz_input *in, const struct fuzz_model *m)
{
	struct sdpower_wake w = { .struct_size = sizeof(w) };
	const uint32_t kind = fuzz_u8(in);
	struct sdpower_pick pick;
	struct fuzz_mask mask;
	sdpower_status status;

	memset(&pick, BEFORE, sizeof(pick));
	draw_mask(in, &mask);
	w.affinity = mask.words;
	w.affinity_words = mask.count;
	w.waker = fuzz_cpu(in, m->cpus);
	w.prev = fuzz_cpu(in, m->cpus);
	w.flags = kind & 7u;
	w.weight = fuzz_number(in, 2048);
	w.waker_weight = fuzz_number(in, 2048);
	w.waker_overlap_ns = fuzz_number(in, 1000000);
	w.task_overlap_ns = fuzz_number(in, 1000000);
	w.since_ran_ns = fuzz_number(in, 1000000);
	w.util = fuzz_number(in, 2048);
	if (kind >= 248)
		w.flags = fuzz_u32(in);
	if (kind == 247)
		w.struct_size = fuzz_u8(in);
	status = kind & 8u ? sdpower_select_cpu(m->s, &w, &pick) : sdpower_wake_idle(m->s, &w, &pick);
	check_pick(m, &mask, status, &pick);
	FUZZ_CHECK(status != SDPOWER_OK || pick.cpu != SDPOWER_CPU_NONE ||
		pick.reason & SDPOWER_REASON_SEARCHER || !permits_any(m, &mask));
}

static void ask_idlest_group(const struct fuzz_model *m, const struct sdpower_placement *p,
	uint32_t answer_size)
{
	struct sdpower_idlest answer;
	sdpower_status status;

	memset(&answer, BEFORE, sizeof(answer));
	answer.struct_size = answer_size;
	status = sdpower_find_idlest_group(m->s, p, &answer);
	if (status != SDPOWER_OK) {
		FUZZ_CHECK(status == SDPOWER_EINVAL || status == SDPOWER_ENOENT ||
			status == SDPOWER_ENOSYS);
		FUZZ_CHECK(answer.struct_size == answer_size && untouched(&answer.reason,
			sizeof(answer) - sizeof(answer.struct_size)));
		return;
	}
	FUZZ_CHECK((answer.group == SDPOWER_ID_NONE) == (answer.group_first == SDPOWER_CPU_NONE));
	if (answer.group != SDPOWER_ID_NONE) {
		FUZZ_CHECK(has(m->map, m->words, answer.group_first));
		FUZZ_CHECK(answer.group > 0);
	}
}

static void ask_placement(struct fuzz_input *in, const struct fuzz_model *m)
{
	struct sdpower_placement p = { .struct_size = sizeof(p) };
	const uint32_t kind = fuzz_u8(in);
	struct sdpower_pick pick;
	struct fuzz_mask mask;
	sdpower_status status;

	memset(&pick, BEFORE, sizeof(pick));
	draw_mask(in, &mask);
	p.affinity = mask.words;
	p.affinity_words = mask.count;
	p.cpu = fuzz_cpu(in, m->cpus);
	p.depth = fuzz_u8(in) % 5u;
	p.util = fuzz_number(in, 2048);
	p.reserved = kind == 244;
	p.flag = kind & 4u ? SDPOWER_SD_BALANCE_FORK : SDPOWER_SD_BALANCE_EXEC;
	if (kind >= 248)
		p.flag = fuzz_u32(in);
	if (kind == 247)
		p.struct_size = fuzz_u8(in);
	if (kind == 246)
		p.flags = fuzz_u32(in);
	if (kind % 3u == 0) {
		status = sdpower_place(m->s, &p, &pick);
		FUZZ_CHECK(status != SDPOWER_OK || pick.cpu != SDPOWER_CPU_NONE ||
			!permits_any(m, &mask));
	} else if (kind % 3u == 1) {
		status = sdpower_find_idlest_cpu(m->s, &p, fuzz_number(in, 4), &pick);
	} else {
		ask_idlest_group(m, &p, kind == 245 ? fuzz_u8(in) : sizeof(struct sdpower_idlest));
		return;
	}
	check_pick(m, &mask, status, &pick);
}

static void ask_ilb(struct fuzz_input *in, const struct fuzz_model *m)
{
	struct sdpower_pick pick;
	struct fuzz_mask mask;
	sdpower_status status;

	memset(&pick, BEFORE, sizeof(pick));
	draw_mask(in, &mask);
	status = sdpower_find_ilb(m->s, fuzz_cpu(in, m->cpus), mask.words, mask.count, &pick);
	if (!mask.words) {
		mask.words = mask.bits;
		mask.count = 0;
	}
	check_pick(m, &mask, status, &pick);
	/* The native rules name nobody who runs or is being woken. */
	FUZZ_CHECK(status != SDPOWER_OK || pick.cpu != SDPOWER_CPU_NONE ||
		m->s->decision_rules == SDPOWER_DECIDE_NATIVE || !permits_any(m, &mask));
}

uint64_t fuzz_load(const struct fuzz_model *m)
{
	uint64_t load = 0;

	for (sdpower_cpu cpu = 0; cpu < m->cpus; cpu++) {
		struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

		FUZZ_CHECK(sdpower_get_cpu(m->s, cpu, &c) == SDPOWER_OK);
		load += c.load;
	}
	return load;
}

/* Who gives and who gets: of the domain, in the tree, and not the same. */
static void check_pull(const struct fuzz_model *m, const struct sdpower_busiest_request *r,
	const struct sdpower_busiest *a)
{
	uint32_t span[8] = { 0 };

	FUZZ_CHECK(sdpower_domain_span(m->s, a->domain, span, 8) == SDPOWER_OK);
	FUZZ_CHECK(has(m->map, m->words, a->from) && has(m->map, m->words, a->target));
	FUZZ_CHECK(!r->candidates || has(r->candidates, r->candidate_words, a->from));
	FUZZ_CHECK(m->one_way || has(span, 8, a->from));
	FUZZ_CHECK(has(span, 8, a->target) && a->from != a->target);
	FUZZ_CHECK(a->target == r->cpu || a->kind == SDPOWER_PULL_POWER);
	FUZZ_CHECK((a->group && a->from != r->cpu) || a->kind == SDPOWER_PULL_POWER);
}

static void check_native(const struct fuzz_model *m, const struct sdpower_busiest_request *r,
	const struct sdpower_busiest *a)
{
	FUZZ_CHECK(a->spreading <= 1 && a->waiting <= 1 && !a->reserved);
	FUZZ_CHECK(a->kind <= SDPOWER_PULL_POWER && a->nominee == SDPOWER_CPU_NONE);
	if (a->kind != SDPOWER_PULL_NONE)
		check_pull(m, r, a);
	else
		FUZZ_CHECK(a->from == SDPOWER_CPU_NONE && a->target == SDPOWER_CPU_NONE &&
			!a->most && a->util_most == UINT32_MAX);
}

static void check_classic(const struct sdpower_busiest *a)
{
	FUZZ_CHECK(a->kind == SDPOWER_PULL_NONE || a->kind == SDPOWER_PULL_LOAD ||
		a->kind == SDPOWER_PULL_POWER);
	FUZZ_CHECK(a->from == SDPOWER_CPU_NONE && a->target == SDPOWER_CPU_NONE);
	FUZZ_CHECK(!a->spreading && !a->waiting && !a->most && a->util_most == UINT32_MAX);
}

/* Under the native rules the number is for find_busiest_queue alone. */
static void check_group(const struct fuzz_model *m, const struct sdpower_busiest *a)
{
	struct sdpower_group_info info = { .struct_size = sizeof(info) };
	uint32_t n = a->group;

	FUZZ_CHECK(sdpower_domain_group(m->s, a->domain, n, &info, NULL, 0) == SDPOWER_OK);
	for (n = 0; m->s->decision_rules == SDPOWER_DECIDE_NATIVE && info.first_cpu != a->group_first; n++)
		FUZZ_CHECK(sdpower_domain_group(m->s, a->domain, n, &info, NULL, 0) == SDPOWER_OK);
	FUZZ_CHECK(info.first_cpu == a->group_first);
}

static void check_busiest(const struct fuzz_model *m, const struct sdpower_busiest_request *r,
	const struct sdpower_busiest *a)
{
	if (m->s->decision_rules == SDPOWER_DECIDE_NATIVE)
		check_native(m, r, a);
	else
		check_classic(a);
	FUZZ_CHECK(m->damaged || r->group_power_count || a->imbalance <= fuzz_load(m));
	FUZZ_CHECK(a->balance <= 1 && a->sd_idle <= 1);
	FUZZ_CHECK((a->kind == SDPOWER_PULL_NONE) == (a->group == SDPOWER_ID_NONE));
	FUZZ_CHECK(r->sd_idle || !a->sd_idle);
	FUZZ_CHECK(!(a->reason & SDPOWER_REASON_SWAPPED) && a->reason);
	FUZZ_CHECK((a->nominee != SDPOWER_CPU_NONE) == !!(a->reason & SDPOWER_REASON_NOMINATED));
	FUZZ_CHECK(a->nominee == SDPOWER_CPU_NONE || has(m->map, m->words, a->nominee));
	FUZZ_CHECK((a->group == SDPOWER_ID_NONE) == (a->group_first == SDPOWER_CPU_NONE));
	if (a->group == SDPOWER_ID_NONE) {
		FUZZ_CHECK(!a->imbalance);
		return;
	}
	FUZZ_CHECK((a->group || a->from != SDPOWER_CPU_NONE) && a->balance);
	check_group(m, a);
}

static void ask_busiest(struct fuzz_input *in, struct fuzz_model *m)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r) };
	uint32_t powers[4], kind = fuzz_u8(in), answer_size = sizeof(struct sdpower_busiest);
	struct sdpower_busiest a;
	struct fuzz_mask mask;
	sdpower_status status;

	draw_mask(in, &mask);
	if (kind & 1u) {
		r.candidates = mask.words;
		r.candidate_words = mask.count;
	}
	r.cpu = fuzz_cpu(in, m->cpus);
	r.depth = fuzz_u8(in) % 5u;
	r.idle = (kind >> 1 & 3u) == 3u ? fuzz_u32(in) : kind >> 1 & 3u;
	r.flags = fuzz_u8(in) % 8u;
	if (kind == 222)
		r.flags = fuzz_u32(in);
	r.sd_idle = kind >> 4 & 1u;
	fuzz_fill(in, powers, sizeof(powers));
	if (kind >= 224) {
		r.group_power_count = kind & 7u ? 2u + (kind & 7u) % 3u : fuzz_u32(in);
		r.group_power = r.group_power_count <= 4 ? powers : NULL;
	}
	if (kind == 223)
		answer_size = fuzz_u8(in);
	memset(&a, BEFORE, sizeof(a));
	a.struct_size = answer_size;
	status = sdpower_find_busiest_group(m->s, &r, &a);
	if (status == SDPOWER_OK) {
		m->handle = a.domain;
		check_busiest(m, &r, &a);
		return;
	}
	FUZZ_CHECK(status == SDPOWER_EINVAL || status == SDPOWER_ENOENT || status == SDPOWER_ENOSYS);
	FUZZ_CHECK(a.struct_size == answer_size &&
		untouched(&a.reason, sizeof(a) - sizeof(a.struct_size)));
}

static void ask_queue(struct fuzz_input *in, const struct fuzz_model *m)
{
	struct sdpower_queue_request r = { .struct_size = sizeof(r), .domain = m->handle };
	const uint32_t kind = fuzz_u8(in);
	struct sdpower_pick pick;
	struct fuzz_mask mask;

	memset(&pick, BEFORE, sizeof(pick));
	draw_mask(in, &mask);
	r.candidates = mask.words;
	r.candidate_words = mask.count;
	r.group = kind >= 128 ? fuzz_number(in, 3) : kind % 3u;
	r.imbalance = kind & 1u ? fuzz_u32(in) : UINT64_MAX;
	if (kind >= 192)
		r.domain.index = fuzz_u32(in);
	if (kind >= 240)
		r.domain.generation = fuzz_u32(in);
	if (kind == 191)
		r.flags = fuzz_u8(in);
	check_pick(m, &mask, sdpower_find_busiest_queue(m->s, &r, &pick), &pick);
}

/* The calls on a handle that may be of any age, or made up. */
static void ask_handle(struct fuzz_input *in, struct fuzz_model *m)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_group_info group = { .struct_size = sizeof(group) };
	struct sdpower_domain d = m->handle, to = m->handle;
	const uint32_t kind = fuzz_u8(in);
	struct fuzz_mask mask;
	sdpower_status status;

	draw_mask(in, &mask);
	if (kind >= 192)
		d.index = kind & 1u ? fuzz_u32(in) : fuzz_number(in, m->cpus * 6u);
	switch (kind % 6u) {
	case 0: status = sdpower_domain_parent(m->s, d, &to); break;
	case 1: status = sdpower_domain_child(m->s, d, &to); break;
	case 2: status = sdpower_domain_describe(m->s, d, &info); break;
	case 3: status = sdpower_domain_span(m->s, d, mask.words ? mask.bits : NULL, mask.count % 10u);
		break;
	case 4: status = sdpower_domain_group(m->s, d, fuzz_number(in, 3), kind & 8u ? &group : NULL,
			mask.words ? mask.bits : NULL, mask.count % 10u);
		break;
	default:
		status = sdpower_domain_distance(m->s, fuzz_cpu(in, m->cpus),
			fuzz_cpu(in, m->cpus));
		FUZZ_CHECK(status >= 0 || status == SDPOWER_ENOENT);
		return;
	}
	FUZZ_CHECK(status == SDPOWER_OK || status == SDPOWER_ENOENT || status == SDPOWER_ESTALE ||
		status == SDPOWER_EINVAL);
	if (status == SDPOWER_OK)
		m->handle = to;
}

void fuzz_ask(struct fuzz_input *in, struct fuzz_model *m)
{
	switch (fuzz_u8(in) % 6u) {
	case 0: ask_wake(in, m); break;
	case 1: ask_placement(in, m); break;
	case 2: ask_ilb(in, m); break;
	case 3: ask_busiest(in, m); break;
	case 4: ask_queue(in, m); break;
	default: ask_handle(in, m); break;
	}
}
