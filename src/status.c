/* SPDX-License-Identifier: MIT */
/* Texts for status codes, and the version of the library. */
#include <sdpower/types.h>

const char *sdpower_strstatus(sdpower_status status)
{
	if (status > 0)
		return "ok";
	switch (status) {
#define SDPOWER_X(name, value, text) case value: return text;
	SDPOWER_STATUS_LIST(SDPOWER_X)
#undef SDPOWER_X
	default:
		return "unknown status";
	}
}

uint32_t sdpower_version(void)
{
	return SDPOWER_VERSION;
}
