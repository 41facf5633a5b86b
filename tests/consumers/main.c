/* SPDX-License-Identifier: MIT */
/* A host as small as can be: header and library have the same version. */
#include <stdio.h>
#include <sdpower.h>

int main(void)
{
	printf("libsdpower %u, %s\n", (unsigned)sdpower_version(), sdpower_strstatus(SDPOWER_OK));
	return sdpower_version() == SDPOWER_VERSION ? 0 : 1;
}
