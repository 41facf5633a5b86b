/* SPDX-License-Identifier: MIT */
/* Description: any bytes given as a synthetic string make a sound table or are refused with a reason. */
#include "fuzz.h"

const char *const fuzz_seeds[] = {
	"numa:2 pack:1 l3:1 core:4 pu:2", "4", "2 2 2", "pack:2 [numa] l3:2 core:2 pu:2",
	"pack:2 core:4 pu:2 indexes=core:pack cap=512,1024*3 dist=10,20 arch=s390x",
	"numa:3 core:2 dist=10,20,30,20,10,20,30,20,10", "core:4 indexes=0,2,1,3",
	"Package:2(size=4) L2:2 core:1 pu:1 (indexes=2*2:1*2)", NULL
};
const char *const fuzz_words[] = { "numa:", "pack:", "die:", "l3:", "l2:", "core:", "pu:", "[numa]",
	"(", ")", "indexes=", "cap=", "dist=", "arch=", "size=", "memory=", "socket:", "llc:", "cluster:",
	"thread:", "*", ",", ":", " ", "0", "1", "2", "65534", "65535", "4294967295", "4294967296",
	"18446744073709551616", "ppc64", "aarch64", "-1", NULL };
const uint32_t fuzz_rounds = 6000;
const uint32_t fuzz_longest = 160;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	char *text = malloc(size + 1);
	struct fuzz_block b = { NULL, 0 };
	sdpower_status status;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	status = sdpower_topology_synthetic(text, NULL, 0, &t, &diag);
	FUZZ_CHECK(fuzz_known_status(status) && status != SDPOWER_OK);
	FUZZ_CHECK(status == SDPOWER_ENOSPC || diag.text[0]);
	if (status == SDPOWER_ENOSPC && t.memory_needed < 1u << 24) {
		b = fuzz_block_of(t.memory_needed, 8);
		FUZZ_CHECK(sdpower_topology_synthetic(text, b.memory, b.size - 1, &t, &diag) ==
			SDPOWER_ENOSPC);
		fuzz_check_untouched(&b, 0);
		FUZZ_CHECK(t.memory_needed == b.size);
		status = sdpower_topology_synthetic(text, b.memory, b.size, &t, &diag);
		fuzz_check_untouched(&b, b.size);
		if (status == SDPOWER_OK)
			fuzz_machine(&t);
		else
			FUZZ_CHECK(fuzz_known_status(status) && diag.text[0]);
	}
	free(b.memory);
	free(text);
	return 0;
}
