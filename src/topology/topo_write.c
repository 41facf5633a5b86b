/* SPDX-License-Identifier: MIT */
/* Saves a table as text; topo_columns.h says in which form. */
#include <string.h>
#include "arch.h"
#include "diag.h"
#include "table.h"
#include "text.h"
#include "topo_columns.h"

/* Values are asked for one by one, wherever they stand. */
struct source {
	uint32_t (*at)(const struct source *s, uint32_t i);
	uint32_t count;
	const struct sdpower_topology *topology;
	const struct sdpower_i_column *column;
};

static uint32_t cpu_value(const struct source *s, uint32_t i)
{
	const struct sdpower_cpu_desc *cpu = sdpower_i_table_cpu(s->topology, i);

	return *(const uint32_t *)(const void *)((const unsigned char *)cpu + s->column->offset);
}

static uint32_t node_value(const struct source *s, uint32_t i) { return s->topology->nodes[i]; }
static uint32_t distance_value(const struct source *s, uint32_t i) { return s->topology->distances[i]; }
static uint32_t allowed_value(const struct source *s, uint32_t i) { return s->topology->allowed[i]; }

/* How many values from i on are alike, or count up; NONE is no number and counts nowhere. */
static uint32_t run_length(const struct source *s, uint32_t i, uint32_t step)
{
	const uint32_t first = s->at(s, i);
	uint32_t n = 1;

	while (i + n < s->count && s->at(s, i + n) == first + n * step &&
			(!step || first + n > first))
		n++;
	while (step && n > 1u && first + (n - 1u) == SDPOWER_ID_NONE)
		n--;
	return n;
}

static void put_run(struct sdpower_i_text *o, uint32_t value, char sign, uint32_t count)
{
	if (value == SDPOWER_ID_NONE)
		sdpower_i_text_char(o, '-');
	else
		sdpower_i_text_u32(o, value);
	if (count > 1u) {
		sdpower_i_text_char(o, sign);
		sdpower_i_text_u32(o, count);
	}
}

static void put_column(struct sdpower_i_text *o, const char *name, const struct source *s)
{
	sdpower_i_text_str(o, SDPOWER_I_COLUMN_DIR);
	sdpower_i_text_str(o, name);
	for (uint32_t i = 0; i < s->count;) {
		const uint32_t same = run_length(s, i, 0), up = run_length(s, i, 1);

		sdpower_i_text_char(o, i ? ' ' : '\t');
		if (up > same && s->at != distance_value) {
			put_run(o, s->at(s, i), '+', up);
			i += up;
		} else {
			put_run(o, s->at(s, i), '*', same);
			i += same;
		}
	}
	sdpower_i_text_char(o, '\n');
}

static void put_word(struct sdpower_i_text *o, const char *name, const char *text)
{
	sdpower_i_text_str(o, SDPOWER_I_COLUMN_DIR);
	sdpower_i_text_str(o, name);
	sdpower_i_text_char(o, '\t');
	sdpower_i_text_str(o, text);
	sdpower_i_text_char(o, '\n');
}

static void put_number(struct sdpower_i_text *o, const char *name, uint32_t value)
{
	sdpower_i_text_str(o, SDPOWER_I_COLUMN_DIR);
	sdpower_i_text_str(o, name);
	sdpower_i_text_char(o, '\t');
	sdpower_i_text_u32(o, value);
	sdpower_i_text_char(o, '\n');
}

static int is_usual(const struct source *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->at(s, i) != s->column->usual)
			return 0;
	return 1;
}

static void put_cpus(struct sdpower_i_text *o, const struct sdpower_topology *t)
{
	for (uint32_t c = 0; c < SDPOWER_I_COLUMNS; c++) {
		const struct source s = { cpu_value, t->cpu_count, t, sdpower_i_column(c) };

		/* The first column tells readers how many cpus there are. */
		if (c == 0 || !is_usual(&s))
			put_column(o, s.column->name, &s);
	}
}

static void put_nodes(struct sdpower_i_text *o, const struct sdpower_topology *t)
{
	const struct source nodes = { node_value, t->node_count, t, NULL };
	const struct source distances = { distance_value, t->node_count * t->node_count, t, NULL };

	if (t->node_count)
		put_column(o, "nodes", &nodes);
	if (t->node_count && t->distances)
		put_column(o, "distances", &distances);
}

/* A name with line ends would end its line. */
static int name_fits_a_line(const char *name)
{
	for (; *name; name++)
		if (*name == '\n' || *name == '\\' || *name == '\t')
			return 0;
	return 1;
}

sdpower_status sdpower_topology_write(const struct sdpower_topology *topology, char *buffer, size_t size,
	size_t *length, struct sdpower_diag *diag)
{
	struct sdpower_i_text o = sdpower_i_text_into(buffer, size);
	struct source allowed = { allowed_value, 0, topology, NULL };
	const sdpower_status status = sdpower_topology_check(topology, diag);

	if (status != SDPOWER_OK)
		return status;
	if (!length)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "write: length is missing");
	put_number(&o, "version", SDPOWER_I_COLUMN_VERSION);
	put_word(&o, "arch", sdpower_i_arch_name(topology->arch));
	if (topology->name && topology->name[0] && name_fits_a_line(topology->name))
		put_word(&o, "name", topology->name);
	put_cpus(&o, topology);
	put_nodes(&o, topology);
	/* Readers refuse more words than any machine has. */
	if (topology->allowed)
		allowed.count = topology->allowed_words;
	if (allowed.count > SDPOWER_MAX_CPUS / 32u + 1u)
		allowed.count = SDPOWER_MAX_CPUS / 32u + 1u;
	if (allowed.count)
		put_column(&o, "allowed", &allowed);
	if (topology->overlapping)
		put_number(&o, "overlapping", topology->overlapping);
	if (topology->quota_milli)
		put_number(&o, "quota_milli", topology->quota_milli);
	*length = o.length;
	if (o.length > o.size)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "write: buffer too small");
	sdpower_i_diag_start(diag, SDPOWER_OK);
	return SDPOWER_OK;
}
