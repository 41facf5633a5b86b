/* SPDX-License-Identifier: MIT */
/* Texts of reasons, generated from the list. */
#include <sdpower/reason.h>

const char *sdpower_reason_text(uint32_t reason)
{
	switch (reason) {
#define SDPOWER_X(name, bit, text) case bit: return text;
	SDPOWER_REASON_LIST(SDPOWER_X)
#undef SDPOWER_X
	default:
		return "unknown reason";
	}
}
