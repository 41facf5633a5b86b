/* SPDX-License-Identifier: MIT */
/* Names files, reads them through the callback, and reads numbers and sets in them. */
#include <string.h>
#include "diag.h"
#include "linux.h"

void sdpower_i_linux_path(struct sdpower_i_linux *l, const char *text)
{
	l->path_length = 0;
	l->path_cpu = SDPOWER_ID_NONE;
	l->path[0] = '\0';
	sdpower_i_linux_append(l, text);
}

/* A path too long is cut: no such file exists then, which is the right answer. */
void sdpower_i_linux_append(struct sdpower_i_linux *l, const char *text)
{
	uint32_t n = l->path_length; /* not counted in the struct, which a char store may alias */

	while (*text && n + 1u < SDPOWER_I_PATH)
		l->path[n++] = *text++;
	l->path[n] = '\0';
	l->path_length = n;
}

void sdpower_i_linux_append_u32(struct sdpower_i_linux *l, uint32_t value)
{
	char digits[11];
	size_t n = sizeof(digits);

	digits[--n] = '\0';
	do {
		digits[--n] = (char)('0' + value % 10u);
		value /= 10u;
	} while (value);
	sdpower_i_linux_append(l, digits + n);
}

/* Files of one cpu are read one after the other; its directory is written once. */
void sdpower_i_linux_cpu_path(struct sdpower_i_linux *l, uint32_t cpu, const char *file)
{
	if (l->path_cpu == cpu) {
		l->path_length = l->path_directory;
	} else {
		sdpower_i_linux_path(l, SDPOWER_I_CPU_DIR "cpu");
		sdpower_i_linux_append_u32(l, cpu);
		sdpower_i_linux_append(l, "/");
		l->path_cpu = cpu;
		l->path_directory = l->path_length;
	}
	sdpower_i_linux_append(l, file);
}

static int64_t read_path(struct sdpower_i_linux *l)
{
	if (l->index)
		return sdpower_i_topo_read_path(l->index, l->path, l->path_length, l->buffer, l->buffer_size);
	return l->source->read(l->source->context, l->path, l->buffer, l->buffer_size);
}

sdpower_status sdpower_i_linux_fail(struct sdpower_i_linux *l, sdpower_status status,
	const struct sdpower_i_scan *at, const char *why)
{
	sdpower_i_diag_start(l->diag, status);
	sdpower_i_diag_str(l->diag, l->path);
	sdpower_i_diag_str(l->diag, ": ");
	sdpower_i_diag_str(l->diag, why);
	if (l->diag && at)
		l->diag->column = sdpower_i_scan_column(at);
	return status;
}

sdpower_status sdpower_i_linux_read(struct sdpower_i_linux *l, struct sdpower_i_scan *content)
{
	const int64_t got = read_path(l);
	size_t length;

	if (got == SDPOWER_ENOENT)
		return SDPOWER_ENOENT;
	if (got < 0)
		return sdpower_i_linux_fail(l, SDPOWER_EIO, NULL, "reading failed");
	l->content_size = (size_t)got;
	if (l->content_size > l->buffer_size)
		return sdpower_i_linux_fail(l, SDPOWER_ENOSPC, NULL, "more memory is needed to read this");
	length = l->content_size;
	while (length && (l->buffer[length - 1u] == '\n' || l->buffer[length - 1u] == ' '))
		length--;
	*content = sdpower_i_scan_over(l->buffer, length);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_number(struct sdpower_i_linux *l, uint32_t *value)
{
	struct sdpower_i_scan content;
	sdpower_status status = sdpower_i_linux_read(l, &content);
	int got;

	*value = SDPOWER_ID_NONE;
	if (status != SDPOWER_OK)
		return status;
	if (content.at == content.end || sdpower_i_scan_is(&content, "-1"))
		return SDPOWER_OK;
	got = sdpower_i_scan_u32(&content, value);
	if (got < 0)
		return sdpower_i_linux_fail(l, SDPOWER_ERANGE, &content, "number too large");
	if (got == 0 || content.at != content.end)
		return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "not a number");
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_set(struct sdpower_i_linux *l, int is_list, uint32_t *mask,
	struct sdpower_i_ids *ids)
{
	const uint32_t words = mask ? l->words : 0;
	struct sdpower_i_scan content;
	const char *why = "";
	sdpower_status status = sdpower_i_linux_read(l, &content);

	if (status != SDPOWER_OK)
		return status;
	if (is_list)
		status = sdpower_i_cpulist(&content, mask, words, ids, &why);
	else
		status = sdpower_i_cpumask(&content, mask, words, ids, &why);
	if (status != SDPOWER_OK)
		return sdpower_i_linux_fail(l, status, &content, why);
	return SDPOWER_OK;
}
