/* SPDX-License-Identifier: MIT */
/* Description: text is written as far as it fits, counted beyond that, and always terminated. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "topology/text.h"

static void write_sample(struct sdpower_i_text *t)
{
	struct sdpower_i_text_list list = sdpower_i_text_list();
	static const uint32_t ids[] = { 0, 1, 2, 4, 9, 10 };

	sdpower_i_text_str(t, "cpus ");
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		sdpower_i_text_id(t, &list, ids[i]);
	sdpower_i_text_list_end(t, &list);
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u32(t, UINT32_MAX);
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_u64(t, UINT64_MAX);
	sdpower_i_text_u32(t, 0);
}

static const char sample[] = "cpus 0-2,4,9-10 4294967295 184467440737095516150";

static void what_does_not_fit_is_counted(void **state)
{
	char buffer[sizeof(sample) + 1];

	(void)state;
	for (size_t size = 0; size <= sizeof(sample); size++) {
		struct sdpower_i_text t = sdpower_i_text_into(size ? buffer : NULL, size);

		memset(buffer, '#', sizeof(buffer));
		write_sample(&t);
		assert_int_equal(sdpower_i_text_end(&t), sizeof(sample) - 1);
		if (size)
			assert_int_equal(strlen(buffer), size - 1);
		assert_memory_equal(buffer, sample, size ? size - 1 : 0);
		assert_int_equal(buffer[size], '#');
	}
}

static void an_empty_list_is_empty(void **state)
{
	char buffer[4];
	struct sdpower_i_text t = sdpower_i_text_into(buffer, sizeof(buffer));
	struct sdpower_i_text_list list = sdpower_i_text_list();

	(void)state;
	sdpower_i_text_list_end(&t, &list);
	assert_int_equal(sdpower_i_text_end(&t), 0);
	assert_string_equal(buffer, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(an_empty_list_is_empty),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
