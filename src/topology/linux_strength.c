/* SPDX-License-Identifier: MIT */
/*
 * What a cpu is worth (rule T7): cpu_capacity, and the order of preference among equals from
 * acpi_cppc. The latter is never taken for a capacity: uniform machines show different values
 * there (hwloc#690), and the kernel does not scale by it.
 */
#include "bits.h"
#include "linux.h"

struct value {
	const char *file;
	int is_capacity;
};

/* One cpu's value; 0 = none. */
static sdpower_status read_value(struct sdpower_i_linux *l, const struct value *value, uint32_t cpu,
	uint32_t *got)
{
	sdpower_status status;

	sdpower_i_linux_cpu_path(l, cpu, value->file);
	status = sdpower_i_linux_number(l, got);
	if (*got == SDPOWER_ID_NONE)
		*got = 0;
	if (status == SDPOWER_ENOENT)
		return SDPOWER_OK;
	if (status == SDPOWER_OK && value->is_capacity && *got > SDPOWER_SCALE)
		return sdpower_i_linux_fail(l, SDPOWER_ERANGE, NULL, "capacity above 1024");
	return status;
}

/* Kernels write the file for all cpus or for none; two cpus speak for the machine. */
static sdpower_status is_written(struct sdpower_i_linux *l, const struct value *value, int *written)
{
	uint32_t got = 0;
	sdpower_status status = read_value(l, value, sdpower_i_linux_first_online(l), &got);

	if (status == SDPOWER_OK && !got)
		status = read_value(l, value, sdpower_i_linux_last_online(l), &got);
	*written = got != 0;
	return status;
}

static sdpower_status read_all(struct sdpower_i_linux *l, const struct value *value)
{
	int written = 0;
	sdpower_status status = is_written(l, value, &written);

	for (uint32_t i = 0; status == SDPOWER_OK && written && i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];
		uint32_t got = 0;

		if (!sdpower_i_linux_has(l->online, d->os_id))
			continue;
		status = read_value(l, value, d->os_id, &got);
		if (!got)
			continue;
		if (value->is_capacity)
			d->capacity = got;
		else
			d->priority = got;
	}
	return status;
}

sdpower_status sdpower_i_linux_strength(struct sdpower_i_linux *l)
{
	static const struct value capacity = { "cpu_capacity", 1 };
	static const struct value priority = { "acpi_cppc/highest_perf", 0 };
	const sdpower_status status = read_all(l, &capacity);

	return status == SDPOWER_OK ? read_all(l, &priority) : status;
}
