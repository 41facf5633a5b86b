/* SPDX-License-Identifier: MIT */
/* Looking at an instance as a whole: dumps and the check. */
#include "instance.h"

#include "../topology/diag.h"
#include "../tree/check.h"
#include "../tree/dump.h"

typedef void dump_fn(struct sdpower_i_text *out, const struct sdpower_i_view *v);

static sdpower_status dump(const sdpower *s, dump_fn *write, char *buffer, size_t size,
	size_t *length)
{
	if (!s || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		struct sdpower_i_text out = sdpower_i_text_into(buffer, size);

		write(&out, &v);
		*length = sdpower_i_text_end(&out);
		if (sdpower_i_view_holds(&v))
			return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
	}
	return SDPOWER_ESTALE;
}

sdpower_status sdpower_dump_text(const sdpower *s, char *buffer, size_t size, size_t *length)
{
	return dump(s, sdpower_i_dump_text, buffer, size, length);
}

sdpower_status sdpower_dump_dot(const sdpower *s, char *buffer, size_t size, size_t *length)
{
	return dump(s, sdpower_i_dump_dot, buffer, size, length);
}

sdpower_status sdpower_check(const sdpower *s, struct sdpower_diag *diag)
{
	sdpower_status status;

	if (diag && diag->struct_size < sizeof(*diag))
		return SDPOWER_EINVAL;
	if (!s || s->magic != SDPOWER_I_MAGIC || s->layout != SDPOWER_I_LAYOUT)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "this is no instance");
	sdpower_i_diag_start(diag, SDPOWER_OK);
	status = sdpower_i_check_numbering(&s->forest, diag);
	if (status == SDPOWER_OK)
		status = sdpower_i_check_tree(&s->forest,
			&s->forest.trees[s->forest.generation & 1u], diag);
	return status;
}
