/* SPDX-License-Identifier: MIT */
/*
 * Description: walks of the balance driver, several at once, with any outcome, dropped half way,
 * while loads change, trees are replaced, times run backwards and records hold garbage. No walk is
 * endless, no action names a cpu that is not there, no lock is kept. Where the host keeps to the
 * rules: deadlines say when a tick has something to do, and no push is lost for ever.
 */
#include "fuzz.h"
#include "decide/driver.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\xff\xff\xff\xff", "\x01\x01", "\xf0\xff", NULL };
const uint32_t fuzz_rounds = 6000;
const uint32_t fuzz_longest = 2000;

#define WALKS 4u
/* Farther ahead than any deadline: a walk looks 60 seconds ahead. */
#define LATER_NS 100000000000u

struct run {
	struct fuzz_host h;
	struct fuzz_balance walk[WALKS];
	int lawful;     /* the host keeps to the rules, and time goes on */
	int damages;    /* words hold garbage */
};

static uint64_t deadline_of(const struct run *r, sdpower_cpu cpu)
{
	uint64_t deadline = 1;

	FUZZ_CHECK(sdpower_next_deadline(r->h.model.s, cpu, &deadline) == SDPOWER_OK);
	return deadline;
}

/* A deadline made while busy says nothing to an idle cpu (P rules). */
static int keeps_deadline(const struct run *r, const struct sdpower_balance_request *q)
{
	return q->kind == SDPOWER_BALANCE_TICK &&
		(r->h.model.s->decision_rules != SDPOWER_DECIDE_NATIVE || q->idle != SDPOWER_CPU_IDLE);
}

static void check_end(const struct run *r, const struct fuzz_balance *b)
{
	if (!r->lawful || b->under_way || b->kind != SDPOWER_BALANCE_TICK || b->action.swapped ||
			b->refused || b->gone)
		return;
	FUZZ_CHECK(deadline_of(r, b->cpu) > b->now);
}

static void step(struct fuzz_input *in, struct run *r, struct fuzz_balance *b)
{
	/* Somebody has woken: nothing was done, and the deadline may have passed. */
	const int hands_over = b->action.kind == SDPOWER_BALANCE_TAKE_OVER;

	fuzz_balance_step(in, &r->h.model, b);
	b->gone |= hands_over && !b->under_way;
	if (!b->under_way)
		check_end(r, b);
}

static void begin(struct fuzz_input *in, struct run *r, struct fuzz_balance *b,
	const struct sdpower_balance_request *q)
{
	const int real = q->cpu < r->h.model.cpus;
	const uint64_t deadline = real ? deadline_of(r, q->cpu) : 0;

	if (!fuzz_balance_begin(&r->h.model, b, q))
		return;
	FUZZ_CHECK(real);
	if (!b->under_way && r->lawful && b->helper == b->cpu)
		check_end(r, b);
	if (r->lawful && keeps_deadline(r, q) && b->helper == b->cpu && q->now_ns < deadline)
		FUZZ_CHECK(!b->under_way);
	if (fuzz_u8(in) % 2u)
		while (b->under_way && in->at < in->end)
			step(in, r, b);
}

/* Whoever keeps to the rules has one walk of a cpu at a time. */
static int is_taken(const struct run *r, const struct sdpower_balance_request *q)
{
	for (uint32_t i = 0; i < WALKS; i++)
		if (r->walk[i].under_way && r->walk[i].cpu == q->cpu)
			return 1;
	return 0;
}

static void begin_any(struct fuzz_input *in, struct run *r)
{
	struct fuzz_balance *b = &r->walk[fuzz_u8(in) % WALKS];
	const uint32_t kind = fuzz_u8(in);
	struct sdpower_balance_request q = { .struct_size = sizeof(q), .kind = kind & 3u,
		.cpu = fuzz_cpu(in, r->h.model.cpus), .helper = SDPOWER_CPU_NONE,
		.idle = kind >> 2 & 1u, .now_ns = r->h.now };

	if (q.kind > SDPOWER_BALANCE_PUSH)
		q.kind = SDPOWER_BALANCE_TICK;
	if (q.kind == SDPOWER_BALANCE_TICK && kind >= 224)
		q.helper = fuzz_cpu(in, r->h.model.cpus);
	if (q.helper != SDPOWER_CPU_NONE)
		q.idle = SDPOWER_CPU_IDLE;
	if (kind == 223)
		q.kind = fuzz_u32(in);
	if (kind == 222)
		q.flags = fuzz_u8(in);
	if (kind == 221)
		q.idle = fuzz_u32(in);
	if (!r->lawful || (!b->under_way && !is_taken(r, &q)))
		begin(in, r, b, &q);
}

static void go_on(struct fuzz_input *in, struct run *r)
{
	struct fuzz_balance *b = &r->walk[fuzz_u8(in) % WALKS];

	if (b->under_way)
		step(in, r, b);
}

static void one_thing(struct fuzz_input *in, struct run *r)
{
	const uint32_t kind = fuzz_u8(in) % 16u;

	if (kind < 6)
		begin_any(in, r);
	else if (kind < 11)
		go_on(in, r);
	else if (kind < 13)
		fuzz_host_publish(in, &r->h);
	else if (kind == 13)
		fuzz_host_wait(in, &r->h);
	else if (kind == 14 && fuzz_u8(in) % 4u == 0)
		fuzz_host_change(in, &r->h);
	else if (kind == 15 && r->damages)
		fuzz_host_damage(in, &r->h);
	else
		fuzz_host_flood(in, &r->h);
}

static void walk_to_the_end(struct run *r, uint32_t kind, sdpower_cpu cpu)
{
	const struct sdpower_balance_request q = { .struct_size = sizeof(q), .kind = kind, .cpu = cpu,
		.helper = SDPOWER_CPU_NONE, .idle = SDPOWER_CPU_NOT_IDLE, .now_ns = r->h.now };
	struct fuzz_input nothing = { NULL, NULL };
	struct fuzz_balance *b = &r->walk[0];

	FUZZ_CHECK(fuzz_balance_begin(&r->h.model, b, &q));
	while (b->under_way)
		step(&nothing, r, b);
}

static void check_requests(const struct run *r)
{
	const struct sdpower *s = r->h.model.s;
	const uint32_t slots = s->decision_rules == SDPOWER_DECIDE_NATIVE ? 1u : SDPOWER_I_PUSHES;

	for (uint32_t pos = 0; pos < s->forest.cpu_count; pos++)
		for (uint32_t i = 0; i < slots && s->balancers[pos].epoch == s->epochs[pos]; i++)
			FUZZ_CHECK(s->balancers[pos].push[i] == SDPOWER_I_NONE16);
}

/* A task was on its way to whoever the driver has claimed; it comes, or the claim ends. */
static void check_claims(const struct run *r)
{
	for (sdpower_cpu cpu = 0; cpu < r->h.model.cpus && !r->h.claimed; cpu++) {
		struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

		FUZZ_CHECK(sdpower_get_cpu(r->h.model.s, cpu, &c) == SDPOWER_OK);
		FUZZ_CHECK(c.activity != SDPOWER_CPU_IS_CLAIMED);
	}
}

/* Whatever was left half done, and whatever times were told: balancing goes on. */
static void recover(struct run *r)
{
	const uint32_t cpus = r->h.model.cpus;

	r->h.now = r->h.now < UINT64_MAX - 2u * LATER_NS ? r->h.now + LATER_NS : LATER_NS;
	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++)
		walk_to_the_end(r, SDPOWER_BALANCE_TICK, cpu);
	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++)
		walk_to_the_end(r, SDPOWER_BALANCE_PUSH, cpu);
	if (r->damages)
		return;
	check_requests(r);
	check_claims(r);
	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
		const uint64_t deadline = deadline_of(r, cpu);

		FUZZ_CHECK(deadline > r->h.now);
		FUZZ_CHECK(deadline == UINT64_MAX || deadline < r->h.now + LATER_NS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	struct run *r = calloc(1, sizeof(*r));

	if (fuzz_host_make(&in, &r->h, SDPOWER_CONFIG_DRIVER)) {
		const uint32_t kind = fuzz_u8(&in) % 4u;

		r->lawful = kind < 2;
		r->h.steady = kind < 2;
		r->damages = kind == 3;
		for (uint32_t i = 0; i < WALKS; i++)
			r->walk[i].block = fuzz_block_of(sdpower_balance_size(r->h.model.s), 8);
		fuzz_host_flood(&in, &r->h);
		while (in.at < in.end)
			one_thing(&in, r);
		recover(r);
		for (uint32_t i = 0; i < WALKS; i++) {
			fuzz_check_untouched(&r->walk[i].block, r->walk[i].block.size);
			free(r->walk[i].block.memory);
		}
	}
	fuzz_host_drop(&r->h);
	free(r);
	return 0;
}
