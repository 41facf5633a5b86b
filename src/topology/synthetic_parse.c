/* SPDX-License-Identifier: MIT */
/* The grammar of synthetic strings: levels, attributes and the order they must keep. */
#include <string.h>
#include "arch.h"
#include "diag.h"
#include "synthetic.h"

#define MAX_BARE 5u

struct parser {
	struct sdpower_i_scan in;
	struct sdpower_i_synthetic *spec;
	struct sdpower_diag *diag;
	uint32_t bare[MAX_BARE]; /* levels whose type is still open */
	uint32_t bares;
	uint32_t word_column;                /* where the present word begins */
	uint32_t level_column[SDPOWER_I_TYPES]; /* by level: of its word */
	int arch_given;
	int in_parentheses;
	struct sdpower_i_scan numbered_at; /* indexes= in parentheses, and the level before them */
	uint32_t numbered_depth;
};

/* What n bare counts mean, outermost first: row n - 1, as hwloc reads them from four on. */
static const uint8_t bare_types[MAX_BARE][MAX_BARE] = {
	{ SDPOWER_I_PU },
	{ SDPOWER_I_CORE, SDPOWER_I_PU },
	{ SDPOWER_I_PACK, SDPOWER_I_CORE, SDPOWER_I_PU },
	{ SDPOWER_I_PACK, SDPOWER_I_NUMA, SDPOWER_I_CORE, SDPOWER_I_PU },
	{ SDPOWER_I_PACK, SDPOWER_I_NUMA, SDPOWER_I_L2, SDPOWER_I_CORE, SDPOWER_I_PU },
};

static const struct {
	char name[12];
	uint8_t type;
} type_names[] = {
	{ "numa", SDPOWER_I_NUMA }, { "node", SDPOWER_I_NUMA }, { "numanode", SDPOWER_I_NUMA },
	{ "pack", SDPOWER_I_PACK }, { "package", SDPOWER_I_PACK }, { "socket", SDPOWER_I_PACK },
	{ "die", SDPOWER_I_DIE },
	{ "l3", SDPOWER_I_L3 }, { "llc", SDPOWER_I_L3 }, { "l3cache", SDPOWER_I_L3 },
	{ "l2", SDPOWER_I_L2 }, { "cluster", SDPOWER_I_L2 }, { "l2cache", SDPOWER_I_L2 },
	{ "core", SDPOWER_I_CORE },
	{ "pu", SDPOWER_I_PU }, { "thread", SDPOWER_I_PU },
};

static sdpower_status fail(const struct parser *p, sdpower_status status, const char *text)
{
	return sdpower_i_diag_fail_at(p->diag, status, sdpower_i_scan_column(&p->in), text);
}

/* Compares a word with a name in lower case. */
static int is_named(const char *word, size_t length, const char *name)
{
	for (size_t i = 0; i < length; i++) {
		const char c = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);

		if (c != name[i] || !c)
			return 0;
	}
	return name[length] == '\0';
}

uint32_t sdpower_i_synthetic_type(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (is_named(word, length, type_names[i].name))
			return type_names[i].type;
	return SDPOWER_I_TYPES;
}

static sdpower_status add_level(struct parser *p, uint32_t type, uint32_t count)
{
	struct sdpower_i_synthetic *spec = p->spec;

	if (spec->depth == SDPOWER_I_TYPES)
		return fail(p, SDPOWER_EPARSE, "too many levels");
	if (count == 0)
		return fail(p, SDPOWER_EPARSE, "a count of 0");
	if (count > SDPOWER_MAX_CPUS / spec->cpus)
		return fail(p, SDPOWER_ERANGE, "more than 65534 cpus");
	spec->cpus *= count;
	p->level_column[spec->depth] = p->word_column;
	spec->type[spec->depth] = (uint8_t)type;
	spec->count[spec->depth] = count;
	spec->depth++;
	return SDPOWER_OK;
}

static sdpower_status read_count(struct parser *p, uint32_t *count)
{
	const int got = sdpower_i_scan_u32(&p->in, count);

	if (got < 0)
		return fail(p, SDPOWER_ERANGE, "number too large");
	if (got == 0)
		return fail(p, SDPOWER_EPARSE, "a number is missing");
	return SDPOWER_OK;
}

static int ends_word(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '(' || c == ')' ||
		c == '[' || c == ']';
}

static struct sdpower_i_scan read_value(struct parser *p)
{
	struct sdpower_i_scan value = p->in;

	while (p->in.at < p->in.end && !ends_word(*p->in.at))
		p->in.at++;
	value.end = p->in.at;
	return value;
}

/* Keeps the value of a word for later; a word may be given once, and not empty. */
static sdpower_status keep_value(struct parser *p, struct sdpower_i_scan *slot)
{
	const struct sdpower_i_scan value = read_value(p);

	if (slot->at)
		return fail(p, SDPOWER_EPARSE, "given twice");
	if (value.at == value.end)
		return fail(p, SDPOWER_EPARSE, "a value is missing");
	*slot = value;
	return SDPOWER_OK;
}

static sdpower_status read_arch(struct parser *p)
{
	const struct sdpower_i_scan value = read_value(p);

	if (p->arch_given)
		return fail(p, SDPOWER_EPARSE, "given twice");
	p->arch_given = 1;
	p->spec->arch = sdpower_i_arch_of(value.at, (size_t)(value.end - value.at));
	if (p->spec->arch == SDPOWER_ID_NONE) {
		p->in.at = value.at;
		return fail(p, SDPOWER_EPARSE, "unknown arch");
	}
	return SDPOWER_OK;
}

/* One key=value; sizes of caches and memories are hwloc's and tell us nothing. */
static sdpower_status read_attribute(struct parser *p)
{
	if (sdpower_i_scan_word(&p->in, "indexes=")) {
		p->numbered_at = p->in;
		p->numbered_depth = p->in_parentheses ? p->spec->depth : SDPOWER_ID_NONE;
		return keep_value(p, &p->spec->indexes);
	}
	if (sdpower_i_scan_word(&p->in, "cap="))
		return keep_value(p, &p->spec->capacities);
	if (sdpower_i_scan_word(&p->in, "dist="))
		return keep_value(p, &p->spec->distances);
	if (sdpower_i_scan_word(&p->in, "arch="))
		return read_arch(p);
	if (sdpower_i_scan_word(&p->in, "size=") || sdpower_i_scan_word(&p->in, "memory=")) {
		read_value(p);
		return SDPOWER_OK;
	}
	return fail(p, SDPOWER_EPARSE, "unknown word");
}

static sdpower_status read_parentheses(struct parser *p)
{
	sdpower_status status = SDPOWER_OK;

	p->in.at++;
	p->in_parentheses = 1;
	while (status == SDPOWER_OK) {
		sdpower_i_scan_blanks(&p->in);
		if (sdpower_i_scan_take(&p->in, ')'))
			break;
		if (p->in.at == p->in.end)
			return fail(p, SDPOWER_EPARSE, "')' is missing");
		status = read_attribute(p);
	}
	p->in_parentheses = 0;
	return status;
}

/* "[numa]" hangs one node below each object of the level before it, or of a group of its own. */
static sdpower_status read_memory_child(struct parser *p, uint32_t count)
{
	sdpower_status status;
	struct sdpower_i_scan word;

	p->in.at++;
	word = p->in;
	while (p->in.at < p->in.end && !ends_word(*p->in.at) && *p->in.at != ':')
		p->in.at++;
	if (sdpower_i_synthetic_type(word.at, (size_t)(p->in.at - word.at)) != SDPOWER_I_NUMA) {
		p->in = word;
		return fail(p, SDPOWER_EPARSE, "only one [numa] can be a memory child");
	}
	sdpower_i_scan_word(&p->in, ":1");
	status = add_level(p, SDPOWER_I_NUMA, count);
	if (status == SDPOWER_OK && sdpower_i_scan_peek(&p->in) == '(')
		status = read_parentheses(p);
	if (status == SDPOWER_OK && !sdpower_i_scan_take(&p->in, ']'))
		return fail(p, SDPOWER_EPARSE, "']' is missing");
	return status;
}

static sdpower_status read_bare(struct parser *p)
{
	uint32_t count = 0;
	sdpower_status status = read_count(p, &count);

	if (status != SDPOWER_OK)
		return status;
	if (p->bares == MAX_BARE)
		return fail(p, SDPOWER_EPARSE, "too many counts without a type");
	p->bare[p->bares] = p->spec->depth;
	p->bares++;
	return add_level(p, SDPOWER_I_TYPES, count);
}

/* "group:N [numa]" is how hwloc writes N nodes in what holds them. */
static sdpower_status read_group(struct parser *p)
{
	uint32_t count = 0;
	const sdpower_status status = read_count(p, &count);

	if (status != SDPOWER_OK)
		return status;
	sdpower_i_scan_blanks(&p->in);
	if (sdpower_i_scan_peek(&p->in) != '[')
		return fail(p, SDPOWER_EPARSE, "a group without [numa] says nothing");
	return read_memory_child(p, count);
}

static int is_inner_cache(const char *word, size_t length)
{
	return length >= 2u && (word[0] == 'L' || word[0] == 'l') && word[1] == '1';
}

/* hwloc writes the first-level caches, one in each core; they tell us nothing. */
static sdpower_status skip_inner_cache(struct parser *p)
{
	if (sdpower_i_scan_word(&p->in, ":1") && ends_word(sdpower_i_scan_peek(&p->in)))
		return SDPOWER_OK;
	return fail(p, SDPOWER_EPARSE, "only one l1 can be in what holds it");
}

/* "type:count", or a word with a value. */
static sdpower_status read_level(struct parser *p)
{
	const struct sdpower_i_scan start = p->in;
	uint32_t type, count = 0;
	sdpower_status status;

	while (p->in.at < p->in.end && !ends_word(*p->in.at) && *p->in.at != ':' && *p->in.at != '=')
		p->in.at++;
	if (sdpower_i_scan_peek(&p->in) == '=') {
		p->in = start;
		return read_attribute(p);
	}
	if (is_named(start.at, (size_t)(p->in.at - start.at), "group") && sdpower_i_scan_take(&p->in, ':'))
		return read_group(p);
	if (is_inner_cache(start.at, (size_t)(p->in.at - start.at)))
		return skip_inner_cache(p);
	type = sdpower_i_synthetic_type(start.at, (size_t)(p->in.at - start.at));
	if (type == SDPOWER_I_TYPES) {
		p->in = start;
		return fail(p, SDPOWER_EPARSE, "unknown type");
	}
	if (!sdpower_i_scan_take(&p->in, ':'))
		return fail(p, SDPOWER_EPARSE, "':' and a count are missing");
	status = read_count(p, &count);
	return status == SDPOWER_OK ? add_level(p, type, count) : status;
}

static sdpower_status read_word(struct parser *p)
{
	const char c = sdpower_i_scan_peek(&p->in);
	sdpower_status status;

	p->word_column = sdpower_i_scan_column(&p->in);
	if (c == '(')
		return read_parentheses(p);
	if (c == '[')
		status = read_memory_child(p, 1);
	else if (c >= '0' && c <= '9')
		status = read_bare(p);
	else
		status = read_level(p);
	if (status == SDPOWER_OK && !ends_word(sdpower_i_scan_peek(&p->in)))
		return fail(p, SDPOWER_EPARSE, "a blank is missing");
	return status;
}

static void name_bare_levels(struct parser *p)
{
	for (uint32_t i = 0; i < p->bares; i++)
		p->spec->type[p->bare[i]] = bare_types[p->bares - 1u][i];
}

/* In hwloc's strings the parentheses number the objects of their level; only cpus can be. */
static sdpower_status check_numbering(struct parser *p)
{
	if (!p->spec->indexes.at || p->numbered_depth == SDPOWER_ID_NONE ||
			p->numbered_depth == p->spec->depth)
		return SDPOWER_OK;
	p->in = p->numbered_at;
	return fail(p, SDPOWER_EPARSE, "indexes= in parentheses belongs to the last level");
}

/* Each type once, outer types before inner ones, nodes above cores. */
static sdpower_status check_order(const struct parser *p)
{
	struct sdpower_i_synthetic *spec = p->spec;
	uint32_t inner = 0;

	for (uint32_t t = 0; t < SDPOWER_I_TYPES; t++)
		spec->level_of[t] = SDPOWER_ID_NONE;
	for (uint32_t level = 0; level < spec->depth; level++) {
		const uint32_t type = spec->type[level];

		if (spec->level_of[type] != SDPOWER_ID_NONE)
			return sdpower_i_diag_fail_at(p->diag, SDPOWER_EPARSE, p->level_column[level],
				"a type appears twice");
		if (type == SDPOWER_I_NUMA ? inner > SDPOWER_I_CORE : type < inner)
			return sdpower_i_diag_fail_at(p->diag, SDPOWER_EPARSE, p->level_column[level],
				"types must go inward: pack, die, l3, l2, core, pu, with numa above core");
		if (type != SDPOWER_I_NUMA)
			inner = type + 1u;
		spec->level_of[type] = level;
	}
	return SDPOWER_OK;
}

static void set_steps(struct sdpower_i_synthetic *spec)
{
	uint32_t step = 1;

	for (uint32_t level = spec->depth; level > 0; level--) {
		spec->step[level - 1u] = step;
		step *= spec->count[level - 1u];
	}
}

sdpower_status sdpower_i_synthetic_parse(const char *text, struct sdpower_i_synthetic *spec,
	struct sdpower_diag *diag)
{
	struct parser p;
	size_t length = 0;
	sdpower_status status = SDPOWER_OK;

	while (text[length])
		length++;
	memset(&p, 0, sizeof(p));
	memset(spec, 0, sizeof(*spec));
	p.in = sdpower_i_scan_over(text, length);
	p.spec = spec;
	p.diag = diag;
	spec->arch = SDPOWER_ARCH_X86_64;
	spec->cpus = 1;
	sdpower_i_scan_blanks(&p.in);
	while (status == SDPOWER_OK && p.in.at < p.in.end) {
		status = read_word(&p);
		sdpower_i_scan_blanks(&p.in);
	}
	if (status == SDPOWER_OK && spec->depth == 0)
		return fail(&p, SDPOWER_EPARSE, "no levels");
	if (status != SDPOWER_OK)
		return status;
	status = check_numbering(&p);
	if (status != SDPOWER_OK)
		return status;
	name_bare_levels(&p);
	set_steps(spec);
	return check_order(&p);
}
