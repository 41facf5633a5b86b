/* SPDX-License-Identifier: MIT */
/* Description: every status code has a text of its own; unknown codes have one too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower.h>

static void every_code_has_its_own_text(void **state)
{
	static const sdpower_status codes[] = {
#define SDPOWER_X(name, value, text) value,
		SDPOWER_STATUS_LIST(SDPOWER_X)
#undef SDPOWER_X
	};
	const size_t n = sizeof(codes) / sizeof(codes[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_true(codes[i] <= 0);
		assert_string_not_equal(sdpower_strstatus(codes[i]), "unknown status");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(sdpower_strstatus(codes[i]), sdpower_strstatus(codes[j]));
	}
}

static void odd_codes_have_a_text(void **state)
{
	(void)state;
	assert_string_equal(sdpower_strstatus(7), "ok");
	assert_string_equal(sdpower_strstatus(INT32_MIN), "unknown status");
}

static void the_library_knows_its_version(void **state)
{
	(void)state;
	assert_int_equal(sdpower_version(), SDPOWER_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_its_own_text),
		cmocka_unit_test(odd_codes_have_a_text),
		cmocka_unit_test(the_library_knows_its_version),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
