/* SPDX-License-Identifier: MIT */
/* Description: cpu lists and hexadecimal masks are read strictly, with the place of an error. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <topology/cpulist.h>

#define WORDS 3u

/* Ids beyond the mask are counted and left out. */
static const struct {
	int is_list;
	const char *text;
	sdpower_status status;
	uint32_t mask[WORDS];
	uint32_t count;
	uint32_t highest;
	uint32_t column; /* of an error */
} cases[] = {
	{ 1, "", SDPOWER_OK, { 0, 0, 0 }, 0, SDPOWER_ID_NONE, 0 },
	{ 1, "0", SDPOWER_OK, { 1, 0, 0 }, 1, 0, 0 },
	{ 1, "0-3,8", SDPOWER_OK, { 0x10f, 0, 0 }, 5, 8, 0 },
	{ 1, " 5 \n", SDPOWER_OK, { 0x20, 0, 0 }, 1, 5, 0 },
	{ 1, "31-32,95", SDPOWER_OK, { 0x80000000u, 1, 0x80000000u }, 3, 95, 0 },
	{ 1, "0-7,9,11,13,15", SDPOWER_OK, { 0xaaff, 0, 0 }, 12, 15, 0 },
	{ 1, "2,2", SDPOWER_OK, { 4, 0, 0 }, 2, 2, 0 },
	{ 1, "90-100", SDPOWER_OK, { 0, 0, 0xfc000000u }, 11, 100, 0 },
	{ 1, "65535", SDPOWER_OK, { 0, 0, 0 }, 1, 65535, 0 },
	{ 1, "65536", SDPOWER_ERANGE, { 0 }, 0, 0, 6 },
	{ 1, "0-99999999999", SDPOWER_ERANGE, { 0 }, 0, 0, 14 },
	{ 1, "3-1", SDPOWER_EPARSE, { 0 }, 0, 0, 4 },
	{ 1, "0-", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 1, "-3", SDPOWER_EPARSE, { 0 }, 0, 0, 1 },
	{ 1, "0,", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 1, ",0", SDPOWER_EPARSE, { 0 }, 0, 0, 1 },
	{ 1, "0,,1", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 1, "0 1", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 1, "0-3-5", SDPOWER_EPARSE, { 0 }, 0, 0, 4 },
	{ 1, "0x3", SDPOWER_EPARSE, { 0 }, 0, 0, 2 },
	{ 1, "(null)", SDPOWER_EPARSE, { 0 }, 0, 0, 1 },
	{ 0, "", SDPOWER_OK, { 0, 0, 0 }, 0, SDPOWER_ID_NONE, 0 },
	{ 0, "0", SDPOWER_OK, { 0, 0, 0 }, 0, SDPOWER_ID_NONE, 0 },
	{ 0, "f", SDPOWER_OK, { 0xf, 0, 0 }, 4, 3, 0 },
	{ 0, "00000001,80000000", SDPOWER_OK, { 0x80000000u, 1, 0 }, 2, 32, 0 },
	{ 0, "FFFFFFFF,00000000,0000000A\n", SDPOWER_OK, { 0xa, 0, 0xffffffffu }, 34, 95, 0 },
	{ 0, "1,0,0,0", SDPOWER_OK, { 0, 0, 0 }, 1, 96, 0 },
	{ 0, "123456789", SDPOWER_EPARSE, { 0 }, 0, 0, 10 },
	{ 0, "1,", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 0, ",1", SDPOWER_EPARSE, { 0 }, 0, 0, 1 },
	{ 0, "1,,1", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
	{ 0, "1g", SDPOWER_EPARSE, { 0 }, 0, 0, 2 },
	{ 0, "0-3", SDPOWER_EPARSE, { 0 }, 0, 0, 2 },
	{ 0, "1 2", SDPOWER_EPARSE, { 0 }, 0, 0, 3 },
};

static void sets_are_read_strictly(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sdpower_i_scan text = sdpower_i_scan_over(cases[i].text, strlen(cases[i].text));
		uint32_t mask[WORDS] = { 7, 7, 7 };
		struct sdpower_i_ids ids;
		const char *why = NULL;
		const sdpower_status status = cases[i].is_list ?
			sdpower_i_cpulist(&text, mask, WORDS, &ids, &why) :
			sdpower_i_cpumask(&text, mask, WORDS, &ids, &why);

		if (status != cases[i].status)
			fail_msg("\"%s\": status %d", cases[i].text, status);
		if (status != SDPOWER_OK) {
			if (!why || sdpower_i_scan_column(&text) != cases[i].column)
				fail_msg("\"%s\": column %u", cases[i].text, sdpower_i_scan_column(&text));
			continue;
		}
		if (memcmp(mask, cases[i].mask, sizeof(mask)) != 0 || ids.count != cases[i].count ||
				ids.highest != cases[i].highest)
			fail_msg("\"%s\": %08x %08x %08x, %u ids up to %u", cases[i].text, mask[0], mask[1],
				mask[2], ids.count, ids.highest);
	}
}

/* A mask of 2049 words: only its highest word is beyond the ids that exist. */
static void masks_beyond_all_ids_are_refused(void **state)
{
	static char text[2049 * 2];
	struct sdpower_i_scan scan;
	struct sdpower_i_ids ids;
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i += 2) {
		text[i] = '0';
		text[i + 1] = ',';
	}
	scan = sdpower_i_scan_over(text, sizeof(text) - 1);
	assert_int_equal(sdpower_i_cpumask(&scan, NULL, 0, &ids, &why), SDPOWER_OK);
	text[0] = '1';
	scan = sdpower_i_scan_over(text, sizeof(text) - 1);
	assert_int_equal(sdpower_i_cpumask(&scan, NULL, 0, &ids, &why), SDPOWER_ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_read_strictly),
		cmocka_unit_test(masks_beyond_all_ids_are_refused),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
