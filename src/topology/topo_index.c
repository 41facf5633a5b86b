/* SPDX-License-Identifier: MIT */
/* Finds files in a packed text without copying it. */
#include <string.h>
#include "topo_index.h"

#define NONE UINT32_MAX
#define OTHER UINT32_MAX
#define NODE_KEY 0x80000000u
#define CPU_DIR "sys/devices/system/cpu/cpu"
#define NODE_DIR "sys/devices/system/node/node"

/* The parts of one line. */
struct line {
	uint32_t start;
	uint32_t tab;
	uint32_t end; /* of the content; the line end or the text's */
};

#define EVERY_BYTE 0x0101010101010101u

/* Whether one of eight bytes is 0; texts of megabytes are searched eight bytes at a time. */
static int has_zero_byte(uint64_t word)
{
	return ((word - EVERY_BYTE) & ~word & (EVERY_BYTE << 7)) != 0;
}

static uint64_t eight_bytes(const struct sdpower_i_topo_index *x, uint32_t at)
{
	uint64_t word;

	memcpy(&word, x->text + at, sizeof(word));
	return word;
}

static uint32_t find_line_end(const struct sdpower_i_topo_index *x, uint32_t from)
{
	while (x->length - from >= 8u && !has_zero_byte(eight_bytes(x, from) ^ EVERY_BYTE * '\n'))
		from += 8u;
	while (from < x->length && x->text[from] != '\n')
		from++;
	return from;
}

/* End of a path: the tab, or whatever control character breaks the line. */
static uint32_t find_path_end(const struct sdpower_i_topo_index *x, uint32_t from)
{
	while (x->length - from >= 8u && !has_zero_byte(eight_bytes(x, from) & EVERY_BYTE * 0xf0u))
		from += 8u;
	while (from < x->length && (unsigned char)x->text[from] >= 0x10u)
		from++;
	return from;
}

/* Cuts the next line that is a file: 1, 0 at the end, -1 for a line that is none. */
static int next_line(const struct sdpower_i_topo_index *x, uint32_t *at, struct line *line)
{
	while (*at < x->length && (x->text[*at] == '#' || x->text[*at] == '\n'))
		*at = find_line_end(x, *at) + 1u;
	if (*at >= x->length)
		return 0;
	line->start = *at;
	line->tab = find_path_end(x, *at);
	if (line->tab == x->length || line->tab == line->start || x->text[line->tab] != '\t')
		return -1;
	line->end = find_line_end(x, line->tab);
	*at = line->end + 1u;
	return 1;
}

/* A number without leading zeros, then a slash; its length with the slash, or 0. */
static uint32_t read_number(const char *text, uint32_t length, uint32_t *number)
{
	uint32_t n = 0, value = 0;

	while (n < length && n < 6u && text[n] >= '0' && text[n] <= '9')
		value = value * 10u + (uint32_t)(text[n++] - '0');
	if (n == 0 || n == length || text[n] != '/' || (n > 1u && text[0] == '0'))
		return 0;
	*number = value;
	return n + 1u;
}

/* Key of a path, and how much of the path it stands for. */
static uint32_t key_of(const char *path, uint32_t length, uint32_t *covered)
{
	const uint32_t cpu = sizeof(CPU_DIR) - 1u, node = sizeof(NODE_DIR) - 1u;
	uint32_t number = 0, digits = 0;

	*covered = 0;
	if (length > cpu && memcmp(path, CPU_DIR, cpu) == 0) {
		digits = read_number(path + cpu, length - cpu, &number);
		*covered = digits ? cpu + digits : 0;
		return digits ? number : OTHER;
	}
	if (length > node && memcmp(path, NODE_DIR, node) == 0) {
		digits = read_number(path + node, length - node, &number);
		*covered = digits ? node + digits : 0;
		return digits ? NODE_KEY | number : OTHER;
	}
	return OTHER;
}

/* Follows the lines of a text: which key the current run has. */
struct walk {
	const char *prefix; /* path of the run's first line */
	uint32_t covered;
	uint32_t key;
};

/* Whether a line opens a run; most lines begin like the one before, which is quick to see. */
static int opens_run(struct walk *w, const char *path, uint32_t length)
{
	uint32_t covered, key;

	if (w->covered && length > w->covered && memcmp(path, w->prefix, w->covered) == 0)
		return 0;
	key = key_of(path, length, &covered);
	if (w->prefix && key == w->key)
		return 0;
	w->prefix = path;
	w->covered = covered;
	w->key = key;
	return 1;
}

static void note_key(struct sdpower_i_topo_index *x, uint32_t key)
{
	const uint32_t number = key & ~NODE_KEY;
	uint32_t *highest = key & NODE_KEY ? &x->highest_node : &x->highest_cpu;

	if (key != OTHER && (*highest == NONE || number > *highest))
		*highest = number;
}

static struct sdpower_i_topo_run *run_of(const struct sdpower_i_topo_index *x, uint32_t run)
{
	return x->runs - 1 - run;
}

/* Lines grow up, runs grow down: whether one of each still fits between them. */
static int has_room(const struct sdpower_i_topo_index *x)
{
	return (const unsigned char *)(x->lines + x->line_count + 1u) <=
		(const unsigned char *)run_of(x, x->run_count);
}

static void add_run(struct sdpower_i_topo_index *x, uint32_t key, int store)
{
	if (store) {
		run_of(x, x->run_count)->key = key;
		run_of(x, x->run_count)->first = x->line_count;
	}
	x->run_count++;
	note_key(x, key);
}

/* One pass: stores while there is room, and counts to the end in any case. */
static sdpower_status walk_lines(struct sdpower_i_topo_index *x, int store)
{
	struct walk w = { NULL, 0, OTHER };
	struct line line;
	uint32_t at = 0;
	int more;

	while ((more = next_line(x, &at, &line)) > 0) {
		store = store && has_room(x);
		if (opens_run(&w, x->text + line.start, line.tab - line.start))
			add_run(x, w.key, store);
		if (store)
			x->lines[x->line_count] = line.start;
		x->line_count++;
	}
	if (more < 0)
		x->bad = line.start;
	x->head_count = 1;
	while (x->head_count < x->run_count)
		x->head_count *= 2u;
	if (more < 0)
		return SDPOWER_EPARSE;
	return store ? SDPOWER_OK : SDPOWER_ENOSPC;
}

static uint32_t bucket_of(const struct sdpower_i_topo_index *x, uint32_t key)
{
	return (key ^ key >> 31) & (x->head_count - 1u);
}

static void link_runs(struct sdpower_i_topo_index *x)
{
	memset(x->heads, 0xff, sizeof(*x->heads) * x->head_count);
	for (uint32_t run = 0; run < x->run_count; run++) {
		const uint32_t bucket = bucket_of(x, run_of(x, run)->key);

		run_of(x, run)->next = x->heads[bucket];
		x->heads[bucket] = run;
	}
	x->last_run = NONE;
	x->last_line = 0;
}

/* Both ends are rounded, and has_room asks for one run more than there will be. */
size_t sdpower_i_topo_memory(const struct sdpower_i_topo_index *x)
{
	return sizeof(*x->lines) * x->line_count + sizeof(*x->heads) * x->head_count +
		sizeof(*x->runs) * ((size_t)x->run_count + 1u) + 16u;
}

sdpower_status sdpower_i_topo_index(struct sdpower_i_topo_index *x, void *memory, size_t size,
	unsigned char **rest, size_t *rest_size)
{
	const size_t usable = size & ~(size_t)7u;
	sdpower_status status;

	x->line_count = x->run_count = 0;
	x->highest_cpu = x->highest_node = x->bad = NONE;
	x->lines = memory;
	if (memory)
		x->runs = (struct sdpower_i_topo_run *)(void *)((unsigned char *)memory + usable);
	status = walk_lines(x, memory && usable >= 64u);
	if (status != SDPOWER_OK)
		return status;
	if (sdpower_i_topo_memory(x) > size)
		return SDPOWER_ENOSPC;
	x->heads = x->lines + x->line_count;
	link_runs(x);
	*rest = (unsigned char *)memory + ((sizeof(uint32_t) * (x->line_count + x->head_count) + 7u) & ~(size_t)7u);
	*rest_size = (size_t)((unsigned char *)run_of(x, x->run_count) + sizeof(*x->runs) - *rest);
	return SDPOWER_OK;
}

/* What is looked for: a path, and the part of it that the key does not cover. */
struct wanted {
	const char *path;
	uint32_t length;
	uint32_t covered;
	uint32_t key;
};

static int line_is(const struct sdpower_i_topo_index *x, uint32_t line, const struct wanted *w)
{
	const uint32_t start = x->lines[line];

	return x->length - start > w->length && x->text[start + w->length] == '\t' &&
		memcmp(x->text + start + w->covered, w->path + w->covered, w->length - w->covered) == 0;
}

/* Searches a run from a line to its end and then from its start; line_count = not found. */
static uint32_t search_run(const struct sdpower_i_topo_index *x, uint32_t run, uint32_t from,
	const struct wanted *w)
{
	const uint32_t first = run_of(x, run)->first;
	const uint32_t end = run + 1u < x->run_count ? run_of(x, run + 1u)->first : x->line_count;

	for (uint32_t line = from; line < end; line++)
		if (line_is(x, line, w))
			return line;
	for (uint32_t line = first; line < from && line < end; line++)
		if (line_is(x, line, w))
			return line;
	return x->line_count;
}

static uint32_t search(struct sdpower_i_topo_index *x, const struct wanted *w)
{
	uint32_t run = x->last_run, line = x->line_count;

	if (run != NONE && run_of(x, run)->key == w->key)
		line = search_run(x, run, x->last_line + 1u, w);
	for (run = x->heads[bucket_of(x, w->key)]; line == x->line_count && run != NONE; ) {
		if (run_of(x, run)->key == w->key && run != x->last_run) {
			line = search_run(x, run, run_of(x, run)->first, w);
			if (line < x->line_count)
				x->last_run = run;
		}
		run = run_of(x, run)->next;
	}
	if (line < x->line_count)
		x->last_line = line;
	return line;
}

static int unescape(char c, char *plain)
{
	switch (c) {
	case 'n':
		*plain = '\n';
		return 1;
	case 't':
		*plain = '\t';
		return 1;
	case '\\':
		*plain = '\\';
		return 1;
	default:
		return 0;
	}
}

/* Copies content up to the line end; answers its whole length, or EIO for a broken escape. */
static int64_t copy_content(struct sdpower_i_topo_index *x, uint32_t from, char *buffer, size_t size)
{
	size_t length = 0;

	for (uint32_t i = from; i < x->length && x->text[i] != '\n'; i++) {
		char c = x->text[i];

		if (c == '\\') {
			i++;
			if (i >= x->length || !unescape(x->text[i], &c)) {
				x->bad = x->lines[x->last_line];
				return SDPOWER_EIO;
			}
		}
		if (length < size)
			buffer[length] = c;
		length++;
	}
	return (int64_t)length;
}

/* Start of the content of a file, or NONE. */
static uint32_t find_content(struct sdpower_i_topo_index *x, const char *path, uint32_t length)
{
	struct wanted w = { path, length, 0, OTHER };
	uint32_t line;

	w.key = key_of(path, length, &w.covered);
	line = search(x, &w);
	return line == x->line_count ? NONE : x->lines[line] + length + 1u;
}

static uint32_t length_of(const char *path)
{
	uint32_t n = 0;

	while (path[n])
		n++;
	return n;
}

int64_t sdpower_i_topo_read_path(struct sdpower_i_topo_index *x, const char *path, uint32_t length,
	char *buffer, size_t size)
{
	const uint32_t content = find_content(x, path, length);

	return content == NONE ? (int64_t)SDPOWER_ENOENT : copy_content(x, content, buffer, size);
}

int64_t sdpower_i_topo_read(void *context, const char *path, char *buffer, size_t size)
{
	return sdpower_i_topo_read_path(context, path, length_of(path), buffer, size);
}

struct sdpower_i_scan sdpower_i_topo_line(struct sdpower_i_topo_index *x, const char *path)
{
	const uint32_t content = find_content(x, path, length_of(path));
	const struct sdpower_i_scan none = { NULL, NULL, NULL };

	return content == NONE ? none :
		sdpower_i_scan_over(x->text + content, find_line_end(x, content) - content);
}

uint32_t sdpower_i_topo_line_number(const struct sdpower_i_topo_index *x, uint32_t offset)
{
	uint32_t number = 1;

	for (uint32_t i = 0; i < offset; i++)
		number += x->text[i] == '\n';
	return number;
}
