/* SPDX-License-Identifier: MIT */
/* Description: the policy of 2013 is switched by two words, read exactly. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sdpower.h>

static void words_are_read_exactly(void **state)
{
	uint32_t policy = 77;

	(void)state;
	assert_int_equal(sdpower_shi2013_read_policy("powersaving", &policy), SDPOWER_OK);
	assert_int_equal(policy, SDPOWER_SHI2013_POWERSAVING);
	assert_int_equal(sdpower_shi2013_read_policy("performance", &policy), SDPOWER_OK);
	assert_int_equal(policy, SDPOWER_SHI2013_PERFORMANCE);
	policy = 77;
	assert_int_equal(sdpower_shi2013_read_policy("balance", &policy), SDPOWER_EPARSE);
	assert_int_equal(sdpower_shi2013_read_policy("powersaving\n", &policy), SDPOWER_EPARSE);
	assert_int_equal(sdpower_shi2013_read_policy("power", &policy), SDPOWER_EPARSE);
	assert_int_equal(sdpower_shi2013_read_policy("", &policy), SDPOWER_EPARSE);
	assert_int_equal(sdpower_shi2013_read_policy(NULL, &policy), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_read_policy("power", NULL), SDPOWER_EINVAL);
	assert_int_equal(policy, 77);
	assert_string_equal(sdpower_shi2013_policy_name(2), "powersaving");
	assert_string_equal(sdpower_shi2013_policy_name(3), "unknown policy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_exactly),
	};

	return cmocka_run_group_tests_name("policy_words", tests, NULL, NULL);
}
