/* SPDX-License-Identifier: MIT */
/* Names of levels and flags, generated from their lists. */
#include <sdpower/domain.h>

const char *sdpower_level_name(uint32_t level)
{
	switch (level) {
#define SDPOWER_X(name, text) case SDPOWER_LEVEL_##name: return text;
	SDPOWER_LEVEL_LIST(SDPOWER_X)
#undef SDPOWER_X
	default: return "?";
	}
}

const char *sdpower_flag_name(uint32_t flag)
{
	switch (flag) {
#define SDPOWER_X(name, bit, classic, modern) case bit: return #name;
	SDPOWER_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
	default: return "?";
	}
}
