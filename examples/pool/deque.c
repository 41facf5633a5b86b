/* SPDX-License-Identifier: MIT */
/*
 * The deque of Chase and Lev (SPAA 2005), with orderings after Le, Pop, Cohen and Zappa
 * Nardelli (PPoPP 2013) written as ordered operations: `top` and `bottom` only ever grow
 * (but for the owner's attempt to take), so an index is never used for two items and the
 * compare-and-swap on `top` has no ABA problem.
 *
 * The one race is for the last item. The owner first announces that it wants it (bottom - 1,
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
	AO_t slot[];
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
static struct deque_array *grow(struct deque *d, size_t top, size_t bottom)
{
	struct deque_array *old = array_of(d);
	struct deque_array *a = array_new((old->mask + 1) * 2);
	size_t i;

	if (!a)
		return NULL;
	for (i = top; i != bottom; i++)
		AO_store(&a->slot[i & a->mask], AO_load(&old->slot[i & old->mask]));
	old->older = d->retired;
	d->retired = old;
	AO_store_release(&d->array, (AO_t)a);
	return a;
}

int deque_push(struct deque *d, void *item)
{
	size_t bottom = AO_load(&d->bottom);
	size_t top = AO_load_acquire(&d->top);
	struct deque_array *a = array_of(d);

	if (bottom - top > a->mask) {
		a = grow(d, top, bottom);
		if (!a)
			return ENOMEM;
	}
	AO_store(&a->slot[bottom & a->mask], (AO_t)item);
	AO_store_release(&d->bottom, bottom + 1);
	return 0;
}

void *deque_take(struct deque *d)
{
	size_t bottom = AO_fetch_and_sub1_full(&d->bottom) - 1;
	size_t top = AO_load_acquire(&d->top);
	intptr_t left = (intptr_t)(bottom - top);
	struct deque_array *a = array_of(d);
	void *item = NULL;

	if (left > 0)
		return (void *)AO_load(&a->slot[bottom & a->mask]);
	if (left == 0) {
		item = (void *)AO_load(&a->slot[bottom & a->mask]);
		if (!AO_compare_and_swap_full(&d->top, top, top + 1))
			item = NULL;
	}
	AO_store_release(&d->bottom, bottom + 1);
	return item;
}

enum deque_result deque_steal(struct deque *d, void **item)
{
	size_t top = AO_load_acquire(&d->top);
	size_t bottom = pool_load_full(&d->bottom);
	struct deque_array *a;
	void *found;

	if ((intptr_t)(bottom - top) <= 0)
		return DEQUE_EMPTY;
	a = array_of(d);
	found = (void *)AO_load(&a->slot[top & a->mask]);
	if (!AO_compare_and_swap_full(&d->top, top, top + 1))
		return DEQUE_LOST;
	*item = found;
	return DEQUE_GOT;
}

size_t deque_size(const struct deque *d)
{
	size_t top = AO_load_acquire(&d->top);
	intptr_t n = (intptr_t)(AO_load_acquire(&d->bottom) - top);

	return n > 0 ? (size_t)n : 0;
}
