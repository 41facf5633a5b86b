/* SPDX-License-Identifier: MIT */
/*
 * The deque of Chase and Lev (SPAA 2005), with orderings after Le, Pop, Cohen and Zappa
 * Nardelli (PPoPP 2013) written as ordered operations: `top` and `bottom` only ever grow
 * (but for the owner's attempt to take), so an index is never used for two tasks and the
 * compare-and-swap on `top` has no ABA problem. Nor can a thief that wins the swap have read half
 * of one task and half of another: the place of a task is used again only when top is beyond it.
 *
 * The one race is for the last task. The owner first announces that it wants it (bottom - 1,
 * a full-order read-modify-write), then looks at top; a thief looks at top, then in full order
 * at bottom. One of the two sees the other, and the swap on top decides.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "deque.h"

struct deque_array {
	size_t mask;
	struct deque_array *older;
	AO_t slot[][TASK_WORDS];
};

static struct deque_array *array_new(size_t capacity)
{
	struct deque_array *a;

	if (capacity > (SIZE_MAX - sizeof(*a)) / sizeof(a->slot[0]))
		return NULL;
	a = malloc(sizeof(*a) + capacity * sizeof(a->slot[0]));
	if (!a)
		return NULL;
	a->mask = capacity - 1;
	a->older = NULL;
	return a;
}

static struct deque_array *array_of(const struct deque *d)
{
	return (struct deque_array *)AO_load_acquire(&d->array);
}

int deque_init(struct deque *d, unsigned log2)
{
	struct deque_array *a = array_new((size_t)1 << log2);

	if (!a)
		return ENOMEM;
	AO_store(&d->top, 0);
	AO_store(&d->bottom, 0);
	d->retired = NULL;
	AO_store_release(&d->array, (AO_t)a);
	return 0;
}

void deque_destroy(struct deque *d)
{
	struct deque_array *a = array_of(d);

	a->older = d->retired;
	while (a) {
		struct deque_array *older = a->older;

		free(a);
		a = older;
	}
	AO_store(&d->array, 0);
	d->retired = NULL;
}

/* The outgrown array keeps its content: a thief that read its address before the exchange
 * still finds the right item, because the owner no longer writes there. */
static int grow(struct deque *d, size_t top, size_t bottom, size_t n)
{
	struct deque_array *old = array_of(d), *a;
	size_t capacity = old->mask + 1, i;

	while (n > capacity - (bottom - top) && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	a = n <= capacity - (bottom - top) ? array_new(capacity) : NULL;
	if (!a)
		return ENOMEM;
	for (i = top; i != bottom; i++) {
		struct pool_task task;

		task_load(old->slot[i & old->mask], &task);
		task_store(a->slot[i & a->mask], &task);
	}
	old->older = d->retired;
	d->retired = old;
	AO_store_release(&d->array, (AO_t)a);
	return 0;
}

int deque_reserve(struct deque *d, size_t n)
{
	size_t bottom = AO_load(&d->bottom);
	size_t top = AO_load_acquire(&d->top);

	return n <= array_of(d)->mask + 1 - (bottom - top) ? 0 : grow(d, top, bottom, n);
}

int deque_push(struct deque *d, const struct pool_task *task)
{
	size_t bottom = AO_load(&d->bottom);
	struct deque_array *a;
	int error = deque_reserve(d, 1);

	if (error)
		return error;
	a = array_of(d);
	task_store(a->slot[bottom & a->mask], task);
	AO_store_release(&d->bottom, bottom + 1);
	return 0;
}

/* Looked at before it is announced that one is wanted: an empty deque costs no locked operation,
 * and only the owner can make it less empty. */
bool deque_take(struct deque *d, struct pool_task *task)
{
	struct deque_array *a = array_of(d);
	size_t bottom, top;
	intptr_t left;
	bool got = true;

	if (!deque_size(d))
		return false;
	bottom = AO_fetch_and_sub1_full(&d->bottom) - 1;
	top = AO_load_acquire(&d->top);
	left = (intptr_t)(bottom - top);
	if (left >= 0)
		task_load(a->slot[bottom & a->mask], task);
	if (left > 0)
		return true;
	got = left == 0 && AO_compare_and_swap_full(&d->top, top, top + 1);
	AO_store_release(&d->bottom, bottom + 1);
	return got;
}

enum deque_result deque_steal(struct deque *d, struct pool_task *task)
{
	size_t top = AO_load_acquire(&d->top);
	size_t bottom = pool_load_full(&d->bottom);
	struct pool_task found;
	struct deque_array *a;

	if ((intptr_t)(bottom - top) <= 0)
		return DEQUE_EMPTY;
	a = array_of(d);
	task_load(a->slot[top & a->mask], &found);
	if (!AO_compare_and_swap_full(&d->top, top, top + 1))
		return DEQUE_LOST;
	*task = found;
	return DEQUE_GOT;
}

size_t deque_size(const struct deque *d)
{
	size_t top = AO_load_acquire(&d->top);
	intptr_t n = (intptr_t)(AO_load_acquire(&d->bottom) - top);

	return n > 0 ? (size_t)n : 0;
}
