/* SPDX-License-Identifier: MIT */
/* Walks of the balance driver under way: any outcome goes in, every action is looked at. */
#include "fuzz.h"
#include "decide/driver.h"

/*
 * What an endless walk would exceed. A pull that ends as pinned, a task that may not come and a
 * queue that was asked already each drop a cpu from the level's candidates: two actions for each
 * cpu and level, beside the kick and the lock of a level. Pushes: three requests of each cpu.
 */
static uint32_t most_steps(const struct fuzz_model *m)
{
	return (2u * m->cpus + 4u) * (m->s->forest.depth_max + 1u) + 4u;
}

static int in_tree(const struct fuzz_model *m, sdpower_cpu cpu)
{
	return cpu < m->cpus && m->map[cpu / 32] >> (cpu % 32) & 1u;
}

/* True iff a level of a cpu's chain holds another cpu. */
static int level_holds(const struct fuzz_model *m, sdpower_cpu cpu, uint32_t depth, sdpower_cpu other)
{
	struct sdpower_domain d;
	uint32_t span[8] = { 0 };

	FUZZ_CHECK(sdpower_domain_at(m->s, cpu, depth, &d) == SDPOWER_OK);
	FUZZ_CHECK(sdpower_domain_span(m->s, d, span, 8) == SDPOWER_OK);
	return span[other / 32] >> (other % 32) & 1u;
}

static void check_move(const struct fuzz_model *m, const struct sdpower_balance_action *a)
{
	const struct sdpower_move *move = &a->move;
	const uint32_t native = m->s->decision_rules == SDPOWER_DECIDE_NATIVE;

	FUZZ_CHECK(move->struct_size == sizeof(*move) && move->pinned == 1);
	FUZZ_CHECK(!move->moved && !move->tasks && !move->hot_tasks && !move->examined);
	FUZZ_CHECK(move->native == native && move->move_hot <= 1);
	FUZZ_CHECK(move->cost_ns == m->s->migration_cost_ns);
	FUZZ_CHECK(move->one == (a->kind == SDPOWER_BALANCE_PUSH_ONE));
	if (move->one)
		FUZZ_CHECK(!move->amount);
	else
		FUZZ_CHECK(m->damaged || move->amount <= fuzz_load(m));
	FUZZ_CHECK(move->one || move->amount || native); /* tasks may weigh nothing */
}

/* Both cpus of an action are real, in the tree, not the same, and of one level. */
static void check_pair(const struct fuzz_model *m, const struct sdpower_balance_action *a)
{
	FUZZ_CHECK(in_tree(m, a->cpu) && in_tree(m, a->from));
	FUZZ_CHECK(a->cpu != a->from || a->kind == SDPOWER_BALANCE_KICK);
	FUZZ_CHECK(m->one_way || level_holds(m, a->cpu, a->depth, a->from));
}

static void check_action(const struct fuzz_model *m, const struct fuzz_balance *b)
{
	const struct sdpower_balance_action *a = &b->action;

	FUZZ_CHECK(a->struct_size == sizeof(*a) && a->kind <= SDPOWER_BALANCE_PUSH_ONE);
	FUZZ_CHECK(!a->swapped || a->kind == SDPOWER_BALANCE_DONE);
	FUZZ_CHECK(b->steps <= most_steps(m));
	switch (a->kind) {
	case SDPOWER_BALANCE_DONE:
		FUZZ_CHECK(!b->locked);
		break;
	case SDPOWER_BALANCE_TAKE_OVER:
		FUZZ_CHECK(!b->steps && b->helper != b->cpu && a->cpu == b->cpu);
		break;
	case SDPOWER_BALANCE_LOCK:
		FUZZ_CHECK(!b->locked && b->kind == SDPOWER_BALANCE_TICK && in_tree(m, a->cpu));
		break;
	case SDPOWER_BALANCE_UNLOCK:
		FUZZ_CHECK(b->locked);
		break;
	case SDPOWER_BALANCE_PUSH_ONE:
		FUZZ_CHECK(b->kind == SDPOWER_BALANCE_PUSH && a->from == b->cpu);
		check_pair(m, a);
		check_move(m, a);
		break;
	case SDPOWER_BALANCE_PULL:
		check_move(m, a); /* fall through */
	default:
		/* To save power a task may go to another cpu than the one that asks. */
		FUZZ_CHECK(b->kind != SDPOWER_BALANCE_PUSH && (a->cpu == b->cpu ||
			a->kind == SDPOWER_BALANCE_MAY_RUN));
		check_pair(m, a);
	}
}

static int takes_outcome(uint32_t kind)
{
	return kind != SDPOWER_BALANCE_UNLOCK && kind != SDPOWER_BALANCE_KICK;
}

int fuzz_balance_begin(const struct fuzz_model *m, struct fuzz_balance *b,
	const struct sdpower_balance_request *r)
{
	sdpower_status status;

	*b = (struct fuzz_balance){ .block = b->block, .cpu = r->cpu, .helper = r->helper,
		.kind = r->kind, .now = r->now_ns, .action = { .struct_size = sizeof(b->action) } };
	if (r->helper == SDPOWER_CPU_NONE)
		b->helper = r->cpu;
	status = sdpower_balance_begin(m->s, b->block.memory, b->block.size, r, &b->action);
	FUZZ_CHECK(fuzz_known_status(status));
	if (status != SDPOWER_OK)
		return 0;
	check_action(m, b);
	b->under_way = b->action.kind != SDPOWER_BALANCE_DONE;
	return 1;
}

/* True outcomes, wild ones, and those of other actions. */
static void draw_outcome(struct fuzz_input *in, const struct fuzz_balance *b,
	struct sdpower_balance_outcome *o)
{
	const uint32_t kind = fuzz_u8(in);

	*o = (struct sdpower_balance_outcome){ .struct_size = sizeof(*o), .done = !(kind & 1u),
		.move = b->action.move };
	o->move.moved = kind & 2u ? o->move.amount : 0;
	o->move.tasks = kind >> 1 & 1u;
	o->move.pinned = kind >> 2 & 1u;
	if (kind < 224)
		return;
	fuzz_fill(in, &o->move, sizeof(o->move));
	o->done = fuzz_u32(in);
	o->move.struct_size = kind < 232 ? fuzz_u8(in) : sizeof(o->move);
	o->struct_size = kind < 228 ? fuzz_u8(in) : sizeof(*o);
}

/* What is refused leaves the walk where it was. */
static int is_refused(uint32_t kind, const struct sdpower_balance_outcome *o)
{
	if (!o)
		return takes_outcome(kind);
	if (o->struct_size != sizeof(*o))
		return 1;
	return (kind == SDPOWER_BALANCE_PULL || kind == SDPOWER_BALANCE_PUSH_ONE) &&
		o->move.struct_size != sizeof(o->move);
}

void fuzz_balance_step(struct fuzz_input *in, const struct fuzz_model *m, struct fuzz_balance *b)
{
	const struct sdpower_balance_action before = b->action;
	struct sdpower_balance_outcome outcome, *o = &outcome;
	sdpower_status status;

	draw_outcome(in, b, &outcome);
	if (!takes_outcome(before.kind) || fuzz_u8(in) == 255)
		o = NULL;
	status = sdpower_balance_next(m->s, b->block.memory, o, &b->action);
	if (is_refused(before.kind, o)) {
		FUZZ_CHECK(status == SDPOWER_EINVAL && !memcmp(&before, &b->action, sizeof(before)));
		return;
	}
	FUZZ_CHECK(status == SDPOWER_OK);
	if (before.kind == SDPOWER_BALANCE_LOCK) {
		b->locked = o->done != 0;
		b->refused |= !b->locked;
	} else if (before.kind == SDPOWER_BALANCE_UNLOCK) {
		b->locked = 0;
	}
	b->steps++;
	check_action(m, b);
	b->under_way = b->action.kind != SDPOWER_BALANCE_DONE;
}
