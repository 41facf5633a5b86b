/* SPDX-License-Identifier: MIT */
/* Kind migration: searches with scripted costs, texts given by hand, hot tasks, the walk. */
#include <stdlib.h>
#include <string.h>
#include "vectors.h"

/* One search as it is scripted. */
struct script {
	uint64_t size[SDPOWER_MIGRATION_SIZES_MAX];
	int64_t cost[SDPOWER_MIGRATION_SIZES_MAX];
	uint64_t count;
	uint32_t give_up; /* END_RANGE: it can be made */
	struct sdpower_migration_rules rules;
};

/* What a record says of the end of a search; found and max are -1 when there was none. */
struct ending {
	int64_t found, max, result, early;
};

const char *vec_migration_text(struct vec_line *line)
{
	char *text, *to;

	if (line->next >= line->count) {
		line->bad = 1;
		return "";
	}
	text = to = line->token[line->next++];
	for (const char *from = text; *from; from++) {
		if (*from != '\\')
			*to++ = *from;
		else if (*++from == 's')
			*to++ = ' ';
		else if (*from != 'e') {
			line->bad = 1;
			break;
		}
	}
	*to = '\0';
	return text;
}

static void replay_costs(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	struct sdpower_migration_costs costs;
	const char *text;
	uint64_t count;

	(void)sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED);
	vec_word(line, "O");
	text = vec_migration_text(line);
	vec_word(line, "R");
	count = vec_number(line);
	if (line->bad || count > SDPOWER_MIGRATION_DISTANCES || line->count - line->next != count) {
		vec_malformed(run, "O");
		return;
	}
	vec_begin(run, line->number);
	vec_expect(run, "count", (int64_t)count,
		sdpower_migration_read_costs(text, SDPOWER_MIGRATION_LEGACY, &costs));
	for (uint64_t i = 0; i < SDPOWER_MIGRATION_DISTANCES; i++)
		vec_expect(run, "override", i < count ? vec_signed(line) :
			SDPOWER_MIGRATION_UNMEASURED, costs.cost_ns[i]);
	if (!vec_complete(line))
		vec_malformed(run, "O");
}

/* The result of a search of one size with that cost. */
static int64_t result_of(uint32_t factor, int64_t cost_ns)
{
	const struct sdpower_migration_rules rules = { .struct_size = sizeof(rules),
		.mode = SDPOWER_MIGRATION_LEGACY, .factor = factor, .max_cache_size = 1 };
	struct sdpower_migration_search search = { .struct_size = sizeof(search) };

	if (sdpower_migration_search_begin(&rules, &search) ||
	    sdpower_migration_search_next(&search, cost_ns) ||
	    search.step != SDPOWER_MIGRATION_DONE)
		return -1;
	return (int64_t)search.result_ns;
}

static void replay_factor(struct vec_run *run)
{
	static const int64_t costs[6] = { 1000, 224257, 9640878, 892004, 123456789, 1 };
	struct vec_line *line = &run->line;
	uint32_t factor = 0;
	uint64_t expected;
	const char *text;

	vec_word(line, "F");
	text = vec_migration_text(line);
	vec_word(line, "R");
	expected = vec_number(line);
	if (line->bad || line->count - line->next != 6) {
		vec_malformed(run, "F");
		return;
	}
	vec_begin(run, line->number);
	vec_expect(run, "status", 0,
		sdpower_migration_read_factor(text, SDPOWER_MIGRATION_LEGACY, &factor));
	vec_expect(run, "internal", (int64_t)expected, factor);
	for (unsigned i = 0; i < 6; i++)
		vec_expect(run, "result", vec_signed(line), result_of(factor, costs[i]));
	if (!vec_complete(line))
		vec_malformed(run, "F");
}

static void replay_hot(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	uint64_t now, last, cost, hot;

	vec_word(line, "H");
	now = vec_number(line);
	last = vec_number(line);
	cost = vec_number(line);
	vec_word(line, "R");
	hot = vec_number(line);
	if (!vec_complete(line)) {
		vec_malformed(run, "H");
		return;
	}
	vec_begin(run, line->number);
	vec_expect(run, "hot", (int64_t)hot, sdpower_migration_is_hot(now, last, (int64_t)cost));
}

/* What a walk left in a buffer of zeros: words and lines touched, increments. */
struct touched {
	int64_t lines, words, writes;
};

static struct touched count_touched(const uint64_t *words, size_t count)
{
	struct touched t = { 0, 0, 0 };

	for (size_t begin = 0; begin < count; begin += 8) {
		int any = 0;

		for (size_t i = begin; i < begin + 8 && i < count; i++) {
			any |= words[i] != 0;
			t.words += words[i] != 0;
			t.writes += (int64_t)words[i];
		}
		t.lines += any;
	}
	return t;
}

static void replay_walk(struct vec_run *run)
{
	const char *const names[4] = { "lines", "touched", "writes", "words" };
	struct vec_line *line = &run->line;
	struct touched t;
	uint64_t bytes, expected[4], *words;
	char share[32];

	vec_word(line, "K");
	bytes = vec_number(line);
	vec_word(line, "R");
	for (unsigned i = 0; i < 4; i++) {
		vec_word(line, names[i]);
		expected[i] = vec_number(line);
	}
	words = !line->bad && bytes >= 64 && bytes <= 1u << 28 ?
		calloc((size_t)bytes / 8, sizeof(*words)) : NULL;
	if (!words) {
		vec_malformed(run, "K");
		return;
	}
	sdpower_migration_walk(words, (size_t)bytes / 8);
	t = count_touched(words, (size_t)bytes / 8);
	free(words);
	snprintf(share, sizeof(share), "%.4f", (double)t.lines / (double)(bytes / 64));
	vec_word(line, "frac");
	vec_begin(run, line->number);
	vec_expect(run, "lines", (int64_t)expected[0], (int64_t)(bytes / 64));
	vec_expect(run, "touched", (int64_t)expected[1], t.lines);
	vec_expect(run, "writes", (int64_t)expected[2], t.writes);
	vec_expect(run, "words", (int64_t)expected[3], t.words);
	vec_word(line, share);
	if (!vec_complete(line))
		vec_malformed(run, "K");
}

/* Searches that cannot be made are told by their names. */
static uint32_t why_not(const char *name)
{
	if (strstr(name, "no_memory"))
		return SDPOWER_MIGRATION_END_NO_MEMORY;
	return strstr(name, "offline") ? SDPOWER_MIGRATION_END_OFFLINE :
		SDPOWER_MIGRATION_END_RANGE;
}

static int read_script(struct vec_run *run, struct script *s)
{
	struct vec_line *line = &run->line;

	line->next = 1;
	s->give_up = why_not(vec_migration_text(line));
	s->rules = (struct sdpower_migration_rules) { .struct_size = sizeof(s->rules) };
	s->rules.max_cache_size = vec_number(line);
	if (sdpower_migration_read_factor(vec_migration_text(line), SDPOWER_MIGRATION_LEGACY,
			&s->rules.factor) || !vec_complete(line) || !vec_next(run))
		return 0;
	vec_word(line, "N");
	s->count = vec_number(line);
	if (!vec_complete(line) || s->count > SDPOWER_MIGRATION_SIZES_MAX)
		return 0;
	for (uint64_t i = 0; i < s->count; i++) {
		if (!vec_next(run))
			return 0;
		vec_word(line, "v");
		s->size[i] = vec_number(line);
		s->cost[i] = vec_signed(line);
		if (!vec_complete(line))
			return 0;
	}
	return 1;
}

/* Runs a search over the script. A mode that goes on beyond it ends at MEASURE. */
static void search_script(struct vec_run *run, const struct script *s, uint32_t mode,
	struct sdpower_migration_search *search)
{
	struct sdpower_migration_rules rules = s->rules;

	rules.mode = mode;
	*search = (struct sdpower_migration_search) { .struct_size = sizeof(*search) };
	vec_expect(run, "begin", 0, sdpower_migration_search_begin(&rules, search));
	if (s->give_up)
		vec_expect(run, "give up", 0,
			sdpower_migration_search_give_up(search, s->give_up));
	for (uint64_t i = 0; i < s->count && search->step == SDPOWER_MIGRATION_MEASURE; i++) {
		if (mode == SDPOWER_MIGRATION_LEGACY)
			vec_expect(run, "size", (int64_t)s->size[i], (int64_t)search->size);
		vec_expect(run, "next", 0, sdpower_migration_search_next(search, s->cost[i]));
	}
}

static void expect_ending(struct vec_run *run, const struct sdpower_migration_search *search,
	const struct ending *e)
{
	const int none = search->end == SDPOWER_MIGRATION_END_NO_MEMORY ||
		search->end == SDPOWER_MIGRATION_END_OFFLINE;

	vec_expect(run, "step", SDPOWER_MIGRATION_DONE, search->step);
	vec_expect(run, "found", e->found, none ? -1 : (int64_t)search->found_size);
	vec_expect(run, "max", e->max, none ? -1 : (int64_t)search->max_cost_ns);
	vec_expect(run, "result", e->result, (int64_t)search->result_ns);
	vec_expect(run, "stopped_early", e->early, search->end == SDPOWER_MIGRATION_END_EARLY);
}

static int read_ending(struct vec_run *run, const char *word, int64_t *steps, struct ending *e)
{
	struct vec_line *line = &run->line;

	if (!vec_next(run))
		return 0;
	vec_word(line, word);
	if (steps)
		*steps = vec_signed(line);
	e->found = vec_signed(line);
	e->max = vec_signed(line);
	e->result = vec_signed(line);
	e->early = vec_signed(line);
	return vec_complete(line);
}

static int replay_endings(struct vec_run *run, const struct script *s)
{
	struct sdpower_migration_search search;
	struct ending e;
	int64_t steps;

	if (!read_ending(run, "R", NULL, &e))
		return 0;
	search_script(run, s, SDPOWER_MIGRATION_LEGACY, &search);
	vec_expect(run, "sizes", (int64_t)s->count, search.sizes);
	expect_ending(run, &search, &e);
	if (!read_ending(run, "W", &steps, &e))
		return 0;
	search_script(run, s, SDPOWER_MIGRATION_EXACT, &search);
	if (steps > (int64_t)s->count) {
		/* The script ends before this search does: it can only be seen to go on. */
		vec_expect(run, "exact goes on", SDPOWER_MIGRATION_MEASURE, search.step);
	} else {
		vec_expect(run, "exact sizes", steps, search.sizes);
		expect_ending(run, &search, &e);
	}
	return vec_next(run) && run->line.count == 1 && strcmp(run->line.token[0], "E") == 0;
}

static void replay_search(struct vec_run *run)
{
	static struct script script;
	const unsigned number = run->line.number;

	if (!read_script(run, &script)) {
		vec_malformed(run, "S");
		return;
	}
	vec_begin(run, number);
	if (!replay_endings(run, &script))
		vec_malformed(run, "R, W or E");
}

void vec_migration(struct vec_run *run)
{
	static const struct {
		char letter;
		void (*replay)(struct vec_run *run);
	} records[] = { { 'T', vec_migration_table }, { 'X', vec_migration_matrix },
		{ 'S', replay_search }, { 'O', replay_costs }, { 'F', replay_factor },
		{ 'H', replay_hot }, { 'K', replay_walk } };

	while (vec_next(run)) {
		const char *head = run->line.count ? run->line.token[0] : "";
		size_t i = 0;

		while (i < sizeof(records) / sizeof(records[0]) &&
				(records[i].letter != head[0] || head[1]))
			i++;
		if (i < sizeof(records) / sizeof(records[0]))
			records[i].replay(run);
		else
			vec_malformed(run, head);
	}
}
