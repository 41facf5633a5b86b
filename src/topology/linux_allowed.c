/* SPDX-License-Identifier: MIT */
/*
 * Who may be used (rule T2): the cpu set of the control group cut with the affinity of the process.
 * Containers show files that contradict the kernel (lxcfs#731): where nothing would be left,
 * the affinity is the truth, because we run on one of its cpus right now.
 */
#include <string.h>
#include "bits.h"
#include "diag.h"
#include "linux.h"

static sdpower_status parse_affinity(struct sdpower_i_linux *l, struct sdpower_i_scan line, int is_list)
{
	struct sdpower_i_ids ids;
	const char *why = "";
	sdpower_status status;

	line.begin = line.at;
	if (is_list)
		status = sdpower_i_cpulist(&line, l->affinity, l->words, &ids, &why);
	else
		status = sdpower_i_cpumask(&line, l->affinity, l->words, &ids, &why);
	if (status != SDPOWER_OK)
		return sdpower_i_linux_fail(l, status, &line, why);
	l->has_affinity = ids.highest != SDPOWER_ID_NONE;
	return SDPOWER_OK;
}

static sdpower_status read_status(struct sdpower_i_linux *l)
{
	struct sdpower_i_scan content, line;
	sdpower_status status;

	sdpower_i_linux_path(l, "proc/self/status");
	status = sdpower_i_linux_read(l, &content);
	while (status == SDPOWER_OK && !l->has_affinity && sdpower_i_scan_cut(&content, '\n', &line)) {
		if (sdpower_i_scan_word(&line, "Cpus_allowed_list:"))
			status = parse_affinity(l, line, 1);
		else if (sdpower_i_scan_word(&line, "Cpus_allowed:"))
			status = parse_affinity(l, line, 0);
	}
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

sdpower_status sdpower_i_linux_affinity(struct sdpower_i_linux *l)
{
	const struct sdpower_linux_source *s = l->source;

	if (!s->affinity)
		return read_status(l);
	for (uint32_t w = 0; w < l->words; w++)
		l->affinity[w] = w < s->affinity_words ? s->affinity[w] : 0;
	l->has_affinity = 1;
	return SDPOWER_OK;
}

static int meet(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w] & c[w])
			return 1;
	return 0;
}

/* Drops what contradicts the kernel, and lets the cpus run that it says we run on. */
void sdpower_i_linux_settle(struct sdpower_i_linux *l)
{
	const uint32_t *truth = l->has_affinity ? l->affinity : l->cpuset;

	if (!l->has_affinity && !l->has_cpuset)
		return;
	if (l->has_affinity && l->has_cpuset && !meet(l->affinity, l->cpuset, l->online, l->words))
		l->has_cpuset = meet(l->affinity, l->cpuset, l->possible, l->words) &&
			!meet(l->affinity, l->online, l->online, l->words);
	if (meet(truth, l->online, l->online, l->words))
		return;
	for (uint32_t w = 0; w < l->words; w++)
		l->online[w] |= truth[w] & l->possible[w];
}

static int is_allowed(const struct sdpower_i_linux *l, uint32_t id)
{
	return (!l->has_affinity || sdpower_i_linux_has(l->affinity, id)) &&
		(!l->has_cpuset || sdpower_i_linux_has(l->cpuset, id));
}

/* A mask only where somebody who runs is not allowed. */
void sdpower_i_linux_store_allowed(struct sdpower_i_linux *l)
{
	memset(l->allowed, 0, sizeof(*l->allowed) * l->words);
	l->has_allowed = 0;
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		const uint32_t id = l->cpus[i].os_id;

		if (is_allowed(l, id))
			l->allowed[i / 32u] |= 1u << (i % 32u);
		else if (sdpower_i_linux_has(l->online, id))
			l->has_allowed = 1;
	}
}
