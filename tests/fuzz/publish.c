/* SPDX-License-Identifier: MIT */
/* What a host may say about its cpus, true or not, and damage no host could do. */
#include "fuzz.h"
#include "state/state.h"

static void set_cpu(struct fuzz_input *in, struct fuzz_host *h)
{
	const sdpower_cpu cpu = fuzz_cpu(in, h->model.cpus);
	struct sdpower_cpu_state was = { .struct_size = sizeof(was) }, now = was, set = was;
	sdpower_status status, known = sdpower_get_cpu(h->model.s, cpu, &was);

	set.nr = fuzz_number(in, SDPOWER_NR_MAX + 1);
	set.load = fuzz_number(in, 4096);
	set.activity = fuzz_number(in, 4);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		set.cpu_load[k] = fuzz_number(in, SDPOWER_LOAD_MAX + 1) & SDPOWER_LOAD_MAX;
	set.avg_idle_ns = fuzz_u32(in);
	set.idle_since_ns = (uint64_t)fuzz_u32(in) << 32 | fuzz_u32(in);
	set.outside_util = fuzz_number(in, 1025);
	set.outside_capacity = fuzz_number(in, 1025);
	set.clamped = fuzz_u32(in);
	set.util = fuzz_number(in, 4096);
	set.has_util = fuzz_number(in, 2);
	if (fuzz_u8(in) == 7)
		set.struct_size = fuzz_u8(in);
	status = sdpower_set_cpu(h->model.s, cpu, &set);
	h->claimed |= set.activity == SDPOWER_CPU_IS_CLAIMED;
	FUZZ_CHECK(fuzz_known_status(status));
	if (known != SDPOWER_OK) {
		FUZZ_CHECK(status != SDPOWER_OK && known == SDPOWER_ENOENT);
		return;
	}
	FUZZ_CHECK(sdpower_get_cpu(h->model.s, cpu, &now) == SDPOWER_OK);
	if (status == SDPOWER_OK && set.activity == SDPOWER_CPU_RUNNING)
		set.idle_since_ns = 0;
	if (status == SDPOWER_OK && !set.has_util)
		set.util = 0;
	FUZZ_CHECK(!memcmp(&now, status == SDPOWER_OK ? &set : &was, sizeof(now)));
}

/* A state a host could be in: mostly one task or none, some cpus crowded, sums up to date. */
void fuzz_host_flood(struct fuzz_input *in, struct fuzz_host *h)
{
	uint32_t seed = fuzz_u32(in);
	const uint32_t crowd = fuzz_u8(in) % 4u;

	for (sdpower_cpu cpu = 0; cpu < h->model.cpus; cpu++) {
		uint32_t nr;

		seed = seed * 1664525u + 1013904223u;
		nr = seed >> 30 > crowd ? 0 : 1u + (seed >> 28 & 3u) * (seed >> 26 & 1u);
		FUZZ_CHECK(!sdpower_set_load(h->model.s, cpu, nr, nr * (512u + (seed >> 16 & 1023u))));
		(void)sdpower_set_util(h->model.s, cpu, seed >> 12 & 1u ? UINT32_MAX : nr * (seed >> 8 & 511u));
		(void)(nr ? sdpower_idle_exit(h->model.s, cpu, h->now) :
			sdpower_idle_enter(h->model.s, cpu, h->now));
		FUZZ_CHECK(!sdpower_tick(h->model.s, cpu, h->now));
	}
	for (sdpower_cpu cpu = 0; cpu < h->model.cpus; cpu++)
		FUZZ_CHECK(sdpower_refresh(h->model.s, cpu) >= 0);
}

static void set_tunables(struct fuzz_input *in, const struct fuzz_host *h)
{
	struct sdpower_tunables t = { .struct_size = sizeof(t) }, was = t, now = t;
	sdpower_status status;

	fuzz_draw_tunables(in, &t);
	FUZZ_CHECK(sdpower_get_tunables(h->model.s, &was) == SDPOWER_OK);
	status = sdpower_set_tunables(h->model.s, &t);
	FUZZ_CHECK(sdpower_get_tunables(h->model.s, &now) == SDPOWER_OK);
	FUZZ_CHECK(status == SDPOWER_OK || !memcmp(&was, &now, sizeof(now)));
	FUZZ_CHECK(status != SDPOWER_OK || (now.spread_percent >= now.fill_percent &&
		now.spread_percent <= 100 && now.fit_percent <= 100 && now.dwell_us &&
		now.latency_bound_us && now.smt_percent >= 100 && now.smt_percent <= 200));
}

/* Time goes on, mostly; sometimes it is anything. */
void fuzz_host_wait(struct fuzz_input *in, struct fuzz_host *h)
{
	h->now += (uint64_t)fuzz_number(in, 1u << 20) << fuzz_u8(in) % 8u;
	if (h->steady)
		return;
	if (fuzz_u8(in) == 3)
		h->now = (uint64_t)fuzz_u32(in) << 32 | fuzz_u32(in);
	if (fuzz_u8(in) == 4)
		h->now = fuzz_u8(in) % 2u ? UINT64_MAX : 0;
}

/* The native rules drop a nominee that cannot take work now. */
static int takes_the_nomination(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };
	const sdpower_cpu nominee = sdpower_preferred_wakeup_cpu(s);

	if (nominee == cpu || (s->decision_rules == SDPOWER_DECIDE_NATIVE && nominee == SDPOWER_CPU_NONE))
		return 1;
	return s->decision_rules == SDPOWER_DECIDE_NATIVE && !sdpower_get_cpu(s, nominee, &c) &&
		c.activity == SDPOWER_CPU_SLEEPING && !c.nr;
}

static sdpower_status search(struct fuzz_input *in, const struct fuzz_host *h, sdpower_cpu cpu,
	const struct sdpower_cpu_state *before)
{
	struct sdpower_cpu_state after = { .struct_size = sizeof(after) };
	sdpower_status status;

	if (fuzz_u8(in) % 2u)
		return sdpower_search_end(h->model.s, cpu);
	status = sdpower_search_begin(h->model.s, cpu);
	if (cpu >= h->model.cpus)
		return status;
	(void)sdpower_get_cpu(h->model.s, cpu, &after);
	if (before->activity != SDPOWER_CPU_RUNNING && before->activity != SDPOWER_CPU_IS_SEARCHING)
		FUZZ_CHECK(status == SDPOWER_EINVAL && after.activity == before->activity);
	else
		FUZZ_CHECK(after.activity == (status == SDPOWER_OK ? SDPOWER_CPU_IS_SEARCHING :
			SDPOWER_CPU_RUNNING) && (status == SDPOWER_OK || status == SDPOWER_EBUSY));
	return SDPOWER_OK;
}

static void owner(struct fuzz_input *in, struct fuzz_host *h)
{
	struct sdpower *s = h->model.s;
	const sdpower_cpu cpu = fuzz_cpu(in, h->model.cpus);
	const int exists = cpu < h->model.cpus;
	struct sdpower_cpu_state before = { .struct_size = sizeof(before) };
	sdpower_status status, expected = exists ? SDPOWER_OK : SDPOWER_ENOENT;

	(void)sdpower_get_cpu(s, cpu, &before);
	switch (fuzz_u8(in) % 10u) {
	case 0: status = sdpower_set_load(s, cpu, fuzz_number(in, 4), fuzz_number(in, 4096)); break;
	case 1: status = sdpower_idle_enter(s, cpu, h->now); break;
	case 2: status = sdpower_idle_exit(s, cpu, h->now); break;
	case 3: status = sdpower_tick(s, cpu, h->now); break;
	case 4:
		status = sdpower_refresh(s, cpu);
		FUZZ_CHECK(status <= 1);
		status = status == 1 ? SDPOWER_OK : status;
		break;
	case 5:
		status = sdpower_claim(s, cpu);
		h->claimed |= status == SDPOWER_OK;
		if (exists && before.activity != SDPOWER_CPU_SLEEPING)
			expected = SDPOWER_EBUSY;
		break;
	case 6:
		status = sdpower_unclaim(s, cpu);
		if (exists && before.activity != SDPOWER_CPU_IS_CLAIMED)
			expected = SDPOWER_EBUSY;
		break;
	case 7:
		status = sdpower_set_util(s, cpu, fuzz_number(in, 2048));
		if (exists && h->flags & SDPOWER_CONFIG_UTIL)
			expected = SDPOWER_EBUSY;
		break;
	case 8: status = search(in, h, cpu, &before); break;
	default:
		status = sdpower_nominate(s, cpu);
		FUZZ_CHECK(!exists || takes_the_nomination(s, cpu));
	}
	FUZZ_CHECK(status == expected);
}

static void set_outside(struct fuzz_input *in, const struct fuzz_host *h)
{
	const sdpower_cpu cpu = fuzz_cpu(in, h->model.cpus);
	const uint32_t util = fuzz_number(in, 1025), capacity = fuzz_number(in, 1025);
	const sdpower_status status = sdpower_set_outside(h->model.s, cpu, util, capacity);

	FUZZ_CHECK((status == SDPOWER_OK) == (cpu < h->model.cpus && util <= 1024 && capacity <= 1024));
}

void fuzz_host_publish(struct fuzz_input *in, struct fuzz_host *h)
{
	switch (fuzz_u8(in) % 16u) {
	case 0:
	case 1:
	case 2: set_cpu(in, h); break;
	case 3: set_outside(in, h); break;
	case 4: set_tunables(in, h); break;
	case 5: fuzz_host_flood(in, h); break;
	default:
		fuzz_host_wait(in, h);
		owner(in, h);
	}
}

/* A word that could be mistaken for something, or anything. */
static void damage_word(struct fuzz_input *in, void *at, size_t size)
{
	const size_t word = fuzz_u8(in) % (size / sizeof(uint32_t));
	const uint32_t value = fuzz_u8(in) % 2u ? fuzz_number(in, 78) : fuzz_number(in, SDPOWER_LOAD_MAX);

	memcpy((unsigned char *)at + word * sizeof(value), &value, sizeof(value));
}

/* A record that says it is that of the present tree. */
static void damage_record(struct fuzz_input *in, struct sdpower *s, uint32_t block)
{
	if (fuzz_u8(in) % 2u)
		fuzz_fill(in, &s->records[block], sizeof(s->records[block]));
	else
		damage_word(in, &s->records[block], sizeof(s->records[block]));
	s->records[block].serial = s->forest.generation;
	s->records[block].seq |= 1u;
}

/* Bits a cosmic ray could leave: slots, sums and what balancing remembers hold anything. */
void fuzz_host_damage(struct fuzz_input *in, struct fuzz_host *h)
{
	struct sdpower *s = h->model.s;
	const uint32_t pos = fuzz_u8(in) % h->model.cpus, block = s->forest.block_at[pos];
	const uint32_t levels = s->forest.depth_max;

	h->model.damaged = 1;
	switch (fuzz_u8(in) % 9u) {
	case 0: fuzz_fill(in, &s->slots[pos], sizeof(s->slots[pos])); break;
	case 1: damage_word(in, &s->slots[pos], sizeof(s->slots[pos])); break;
	case 2: damage_record(in, s, block); break;
	case 3: fuzz_fill(in, &s->rests[block], sizeof(s->rests[block])); break;
	case 4: damage_word(in, &s->outside[pos], sizeof(s->outside[pos])); break;
	case 5:
		*(fuzz_u8(in) % 2u ? &s->nominee : &s->searcher) = fuzz_cpu(in, h->model.cpus);
		break;
	case 6:
		if (s->balancers)
			fuzz_fill(in, &s->balancers[pos], sizeof(s->balancers[pos]));
		break;
	case 7:
		if (s->paces)
			fuzz_fill(in, &s->paces[pos * levels + fuzz_u8(in) % levels], sizeof(s->paces[0]));
		break;
	default: /* soon the generations start again */
		s->forest.generation = s->forest.generation % 2u ? UINT32_MAX : UINT32_MAX - 1u;
		s->forest.trees[s->forest.generation % 2u].serial = s->forest.generation;
	}
}
