/* SPDX-License-Identifier: MIT */
/* Description: a callback may answer anything for any path; a sound table comes back or a reason. */
#include "fuzz.h"

/*
 * The input is cut at bytes of value 255 into answers; each path always gets the same one of
 * them. The first byte of an answer may turn it into a refusal or a wrong length.
 */
const char *const fuzz_seeds[] = { "00-3\xff" "00\xff" "01\xff" "00-1\xff" "02-3\xff" "0Unified\xff" "02",
	"00-1\xff" "00-1\xff" "00\xff" "010 20\xff" "03", NULL };
const char *const fuzz_words[] = { "0-3", "00000003", "Unified", "Data", "10 20 30", "max 100000", "-1",
	"\xff", "\xff" "0", "\xff" "n", "\xff" "e", "\xff" "l", "\xff" "h", "65535",
	"Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", "0::/a\n", "4:cpu,cpuset:/b\n",
	"30 1 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n", "s390x", "0", "1", NULL };
const uint32_t fuzz_rounds = 20000;
const uint32_t fuzz_longest = 400;

struct answers {
	const uint8_t *data;
	size_t size;
	uint32_t salt, count, reads;
};

static uint32_t hash_path(const struct answers *a, const char *path)
{
	uint32_t hash = 2166136261u ^ a->salt;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 16777619u;
	return hash ^ hash >> 15;
}

static const uint8_t *answer_of(const struct answers *a, const char *path, size_t *length)
{
	uint32_t skip = hash_path(a, path) % a->count;
	const uint8_t *at = a->data, *end = a->data + a->size, *stop;

	while (skip--)
		at = (const uint8_t *)memchr(at, 255, (size_t)(end - at)) + 1;
	stop = memchr(at, 255, (size_t)(end - at));
	*length = (size_t)((stop ? stop : end) - at);
	return at;
}

/* Machines of 65535 cpus only cost time. */
static int is_far(const char *path)
{
	unsigned cpu = 0;

	return sscanf(path, "sys/devices/system/cpu/cpu%u", &cpu) == 1 && cpu > 300;
}

static int64_t answer(void *context, const char *path, char *buffer, size_t size)
{
	struct answers *a = context;
	size_t length;
	const uint8_t *at = answer_of(a, path, &length);

	a->reads++;
	FUZZ_CHECK(a->reads < 3000000u);
	if (!length || at[0] == 'n' || is_far(path))
		return SDPOWER_ENOENT;
	if (at[0] == 'e')
		return length > 1 ? -(int64_t)at[1] : INT64_MIN;
	length--;
	if (length)
		memcpy(buffer, at + 1, length < size ? length : size);
	if (at[0] == 'l')
		return (int64_t)size + 1;
	if (at[0] == 'h')
		return INT64_MAX;
	return (int64_t)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answers a = { .data = data, .size = size, .count = 1 };
	struct sdpower_linux_source source = { .struct_size = sizeof(source), .arch = SDPOWER_ID_NONE,
		.read = answer, .context = &a };
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct fuzz_block b = { NULL, 0 };
	sdpower_status status = SDPOWER_ENOSPC;

	if (size > 1) {
		a.salt = data[0];
		source.flags = data[1] & SDPOWER_LINUX_EVERY_FILE;
	}
	for (size_t i = 0; i < size; i++)
		a.count += data[i] == 255;
	for (int i = 0; i < 6 && status == SDPOWER_ENOSPC && t.memory_needed < 1u << 25; i++) {
		free(b.memory);
		b = fuzz_block_of(t.memory_needed, 8);
		status = sdpower_topology_linux(&source, b.memory, b.size, &t, &diag);
		fuzz_check_untouched(&b, b.size);
		FUZZ_CHECK(status != SDPOWER_ENOSPC || t.memory_needed > b.size);
	}
	FUZZ_CHECK(fuzz_known_status(status));
	if (status == SDPOWER_OK)
		fuzz_machine(&t);
	else
		FUZZ_CHECK(diag.text[0] && diag.status == status);
	free(b.memory);
	return 0;
}
