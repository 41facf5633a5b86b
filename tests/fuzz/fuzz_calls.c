/* SPDX-License-Identifier: MIT */
/*
 * Description: any sequence of calls with any arguments, also on damaged slots and records: no
 * answer outside affinity, online, allowed and partitions, no output touched by a refusal.
 */
#include "fuzz.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\xff\xff\xff\xff", "\xff\xff", "\x0a\xff\xff\xff\xff", "\x0b", NULL };
const uint32_t fuzz_rounds = 8000;
const uint32_t fuzz_longest = 2400;

static void step(struct fuzz_input *in, struct fuzz_host *h)
{
	const uint32_t kind = fuzz_u8(in) % 32u;

	if (kind < 10)
		fuzz_host_publish(in, h);
	else if (kind < 13)
		fuzz_host_change(in, h);
	else if (kind < 17)
		fuzz_host_damage(in, h);
	else if (kind == 17)
		fuzz_walk(&h->model, fuzz_u8(in) % h->model.cpus);
	else
		fuzz_ask(in, &h->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	struct fuzz_host h;

	if (fuzz_host_make(&in, &h, 0)) {
		fuzz_host_flood(&in, &h);
		while (in.at < in.end)
			step(&in, &h);
	}
	fuzz_host_drop(&h);
	return 0;
}
