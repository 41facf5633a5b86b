/* SPDX-License-Identifier: MIT */
/* A C++ host: the names have C linkage and the library answers. */
#include <cstring>
#include <sdpower.h>

int main()
{
	if (sdpower_version() != SDPOWER_VERSION)
		return 1;
	return std::strcmp(sdpower_strstatus(SDPOWER_OK), "ok") ? 2 : 0;
}
