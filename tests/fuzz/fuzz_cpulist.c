/* SPDX-License-Identifier: MIT */
/* Description: any bytes read as a cpu list or a hexadecimal mask stay inside text and mask, and agree. */
#include "fuzz.h"
#include "topology/cpulist.h"

const char *const fuzz_seeds[] = { "l0-3,8", "l0-65535", "l1,3,5-7:2/4", "mff,00000003", "m3", "m",
	"l", "l\n", "mffffffff,ffffffff", NULL };
const char *const fuzz_words[] = { "0-", ",", "ffffffff", "65535", "65536", "4294967295", "-", "\n", "0x",
	" ", ":", "/", NULL };
const uint32_t fuzz_rounds = 300000;
const uint32_t fuzz_longest = 64;

static uint32_t bits_of(const uint32_t *mask, uint32_t words, uint32_t *highest)
{
	uint32_t count = 0;

	*highest = SDPOWER_ID_NONE;
	for (uint32_t bit = 0; bit < words * 32; bit++)
		if (mask[bit / 32] >> (bit % 32) & 1u) {
			*highest = bit;
			count++;
		}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int list = size && data[0] == 'l';
	const uint32_t words = size > 1 ? data[1] % 5u : 0;
	uint32_t mask[6] = { 0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u };
	struct sdpower_i_scan text = sdpower_i_scan_over((const char *)data + (size > 0), size - (size > 0));
	struct sdpower_i_ids ids = { 0, SDPOWER_ID_NONE };
	const char *why = NULL;
	uint32_t highest, count;
	sdpower_status status;

	status = list ? sdpower_i_cpulist(&text, words ? mask : NULL, words, &ids, &why) :
		sdpower_i_cpumask(&text, words ? mask : NULL, words, &ids, &why);
	FUZZ_CHECK(text.at >= text.begin && text.at <= text.end);
	for (uint32_t i = words; i < 6; i++)
		FUZZ_CHECK(mask[i] == 0xa5a5a5a5u);
	if (status != SDPOWER_OK) {
		FUZZ_CHECK(fuzz_known_status(status) && why && why[0]);
		return 0;
	}
	FUZZ_CHECK((ids.count == 0) == (ids.highest == SDPOWER_ID_NONE));
	FUZZ_CHECK(ids.highest == SDPOWER_ID_NONE || ids.highest <= SDPOWER_I_MAX_ID);
	count = bits_of(mask, words, &highest);
	FUZZ_CHECK(count <= ids.count);
	FUZZ_CHECK(highest == SDPOWER_ID_NONE || highest <= ids.highest);
	if (ids.highest != SDPOWER_ID_NONE && ids.highest / 32 < words)
		FUZZ_CHECK(highest == ids.highest);
	return 0;
}
