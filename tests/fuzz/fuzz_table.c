/* SPDX-License-Identifier: MIT */
/* Description: a table of arbitrary fields is refused by the check, or init and its kin are safe with it. */
#include "fuzz.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\x01\x01\x01\x01", "\xff\xff\xff\xff", NULL };
const uint32_t fuzz_rounds = 4000;
const uint32_t fuzz_longest = 700;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	struct fuzz_drawn drawn;

	fuzz_draw_table(&in, &drawn);
	if (fuzz_u8(&in) == 1)
		drawn.topology.cpu_stride = fuzz_u8(&in) % sizeof(*drawn.cpus);
	if (fuzz_u8(&in) == 1)
		drawn.topology.struct_size = fuzz_u8(&in) % sizeof(drawn.topology);
	fuzz_table(&drawn.topology);
	return 0;
}
