/* SPDX-License-Identifier: MIT */
/* A C++ host: the names have C linkage and the library answers. */
#include <cstring>
#include <sdpower.h>

int main()
{
	const uint32_t reason = SDPOWER_REASON_LATENCY; /* no sign: the flags warn of one */

	if ((reason & ~SDPOWER_REASON_LATENCY) != SDPOWER_REASON_NONE)
		return 3;
	if (sdpower_version() != SDPOWER_VERSION)
		return 1;
	return std::strcmp(sdpower_strstatus(SDPOWER_OK), "ok") ? 2 : 0;
}
