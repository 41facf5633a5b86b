/* SPDX-License-Identifier: MIT */
/* Which caches two cpus share, and how large the others are, from the files of Linux. */
#include <stdio.h>
#include <string.h>
#include "calibrate.h"
#include "files.h"

/* Indices of one cpu; machines have three or four. */
#define CACHES 16u
#define PATH 96u
#define TEXT 4096u

/* Reads one attribute as text: 1, or 0 where there is none. */
static int attribute(int root, uint32_t os_id, uint32_t index, const char *name, char text[TEXT])
{
	struct sdpower_i_files files = { root };
	char path[PATH];
	int64_t length;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index%u/%s", os_id, index,
		name);
	length = sdpower_i_files_read(&files, path, text, TEXT - 1);
	if (length <= 0 || length >= (int64_t)TEXT)
		return 0;
	text[length] = '\0';
	return 1;
}

static const char *number(const char *at, uint64_t *value)
{
	for (*value = 0; *at >= '0' && *at <= '9' && *value < SDPOWER_CURVE_MOST; at++)
		*value = *value * 10 + (uint64_t)(*at - '0');
	return at;
}

/* Such as 32K, 1024K or 32M; 0 for anything else. */
static uint64_t bytes(const char *text)
{
	uint64_t value;

	text = number(text, &value);
	if (*text == 'K')
		value <<= 10;
	else if (*text == 'M')
		value <<= 20;
	return value < SDPOWER_CURVE_MOST ? value : 0;
}

/* A list of ids such as 0-3,8. */
static int holds(const char *list, uint32_t id)
{
	while (*list >= '0' && *list <= '9') {
		uint64_t first, last;

		list = number(list, &first);
		last = first;
		if (*list == '-')
			list = number(list + 1, &last);
		if (first <= id && id <= last)
			return 1;
		list += *list == ',';
	}
	return 0;
}

void sdpower_i_caches_of(int root, uint32_t os_id, uint32_t other,
	struct sdpower_i_caches *caches)
{
	uint64_t largest = 0;
	char text[TEXT];

	*caches = (struct sdpower_i_caches) { .private_size = 0 };
	for (uint32_t i = 0; i < CACHES && attribute(root, os_id, i, "type", text); i++) {
		const int is_data = strncmp(text, "Instruction", 11) != 0;
		uint64_t size;
		int is_shared;

		if (!is_data || !attribute(root, os_id, i, "size", text))
			continue;
		size = bytes(text);
		is_shared = attribute(root, os_id, i, "shared_cpu_list", text) && holds(text, other);
		if (!is_shared && size > caches->private_size)
			caches->private_size = size;
		if (size >= largest)
			caches->is_shared = (uint32_t)is_shared;
		if (size > largest)
			largest = size;
	}
}
