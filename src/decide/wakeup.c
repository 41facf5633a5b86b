/* SPDX-License-Identifier: MIT */
/* Rule D8: the public calls; the rules themselves are in wake_idle.c and select.c. */
#include "native.h"
#include "wakeup.h"

typedef struct sdpower_pick wake_rule(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *request);

static sdpower_status check_request(const struct sdpower *s, const struct sdpower_wake *request,
	const struct sdpower_pick *pick)
{
	const uint32_t known = SDPOWER_WAKE_SYNC | SDPOWER_WAKE_SYSTEM | SDPOWER_WAKE_CACHE_HOT;

	if (!s || !request || !pick || request->struct_size != sizeof(*request) ||
	    request->flags & ~known)
		return SDPOWER_EINVAL;
	if ((request->waker != SDPOWER_CPU_NONE && request->waker >= s->forest.cpu_count) ||
	    (request->prev != SDPOWER_CPU_NONE && request->prev >= s->forest.cpu_count))
		return SDPOWER_ENOENT;
	return SDPOWER_OK;
}

/* Somebody outside wakes as if it ran on prev; a task without past as if it ran on the waker. */
static struct sdpower_wake complete(const struct sdpower_wake *request)
{
	struct sdpower_wake w = *request;

	if (w.waker == SDPOWER_CPU_NONE)
		w.waker = w.prev;
	if (w.prev == SDPOWER_CPU_NONE)
		w.prev = w.waker;
	return w;
}

static sdpower_status pick_by(wake_rule *rule, const struct sdpower *s,
	const struct sdpower_wake *request, struct sdpower_pick *pick)
{
	const sdpower_status status = check_request(s, request, pick);
	struct sdpower_wake w;

	if (status)
		return status;
	w = complete(request);
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		struct sdpower_pick found = { SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };

		if (w.prev != SDPOWER_CPU_NONE)
			found = rule(s, &v, &w);
		/* Nobody is to be woken while somebody looks for work: that is an answer. */
		if (!(found.reason & SDPOWER_REASON_SEARCHER))
			found = sdpower_i_permitted(&v, found,
				(struct sdpower_i_mask){ w.affinity, w.affinity_words });
		if (!sdpower_i_view_holds(&v))
			continue;
		*pick = found;
		return SDPOWER_OK;
	}
	*pick = (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_SWAPPED };
	return SDPOWER_OK;
}

sdpower_status sdpower_select_cpu(const struct sdpower *s, const struct sdpower_wake *request,
	struct sdpower_pick *pick)
{
	return pick_by(s && sdpower_i_native(s) ? sdpower_i_native_select : sdpower_i_select, s,
		request, pick);
}

sdpower_status sdpower_wake_idle(const struct sdpower *s, const struct sdpower_wake *request,
	struct sdpower_pick *pick)
{
	return pick_by(s && sdpower_i_native(s) ? sdpower_i_native_wake_idle : sdpower_i_wake_idle,
		s, request, pick);
}
