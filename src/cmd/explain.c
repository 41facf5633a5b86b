/* SPDX-License-Identifier: MIT */
/* sdpower explain: a recorded decision, why it is so, and what other rules would have said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ink.h"
#include "input.h"
#include "json.h"
#include "rules.h"
#include "say.h"
#include "session.h"

/* One set of rules with one pair of knobs, asked the same. */
struct variant {
	const char *rules, *level; /* level is NULL for the knobs of the snapshot */
	uint32_t mc, smt;
	sdpower_status status;     /* of making it */
	struct sdpower_answer answer;
	bool same;                 /* as the recorded rules answer */
};

struct explanation {
	const struct cmd_options *o;
	struct session a;
	struct sdpower_answer answer;
	char *why;                 /* the library's own line */
	uint32_t count;
	struct variant *variants;
};

/* The cpu a pick was preferred to. */
static sdpower_cpu other_cpu(const struct sdpower_question *q)
{
	if (q->kind == SDPOWER_QUESTION_PLACE)
		return q->place.cpu;
	return q->wake.prev != SDPOWER_CPU_NONE ? q->wake.prev : q->wake.waker;
}

static sdpower_status explain_into(const struct explanation *e, char *text, size_t size,
	size_t *length)
{
	const struct sdpower_question *q = &e->a.snapshot.question;

	if (q->kind == SDPOWER_QUESTION_BUSIEST)
		return sdpower_explain_busiest(e->a.s, &q->busiest, &e->answer.busiest, text, size,
			length);
	return sdpower_explain_pick(e->a.s, &e->answer.pick, other_cpu(q), text, size, length);
}

static int tell_cpu(char *text, sdpower_cpu cpu)
{
	if (cpu == SDPOWER_CPU_NONE)
		return sprintf(text, "no cpu");
	return sprintf(text, "cpu %u", (unsigned)cpu);
}

static int tell_pull(char *text, const struct sdpower_answer *a)
{
	int length;

	if (a->busiest.group == SDPOWER_ID_NONE)
		return sprintf(text, "pull nothing%s",
			a->busiest.waiting ? ", left to an unused cpu nearer to it" : "");
	length = sprintf(text, "pull %llu from ", (unsigned long long)a->busiest.imbalance);
	return length + tell_cpu(text + length, a->pick.cpu);
}

/* An answer in a few words; the caller frees it. */
static char *brief(const struct sdpower_answer *a)
{
	const bool busiest = a->kind == SDPOWER_QUESTION_BUSIEST;
	char *reasons = session_reasons(busiest ? a->busiest.reason : a->pick.reason);
	char *text = cmd_alloc(1, strlen(reasons) + 160), *at = text;

	if (a->status != SDPOWER_OK)
		sprintf(text, "%s", sdpower_strstatus(a->status));
	else if (a->kind == SDPOWER_QUESTION_NONE)
		sprintf(text, "nothing is asked");
	else {
		at += busiest ? tell_pull(text, a) : tell_cpu(text, a->pick.cpu);
		sprintf(at, " (%s)", reasons);
	}
	free(reasons);
	return text;
}

/* The numbers behind an answer may differ without making another one. */
static bool same_answer(const struct sdpower_answer *a, const struct sdpower_answer *b)
{
	char *x = brief(a), *y = brief(b);
	const bool same = !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

/* The library's own line, or a short one where it has none to say. */
static char *explain_line(const struct explanation *e)
{
	size_t length = 0;
	char *text;

	if (e->answer.status != SDPOWER_OK || e->answer.kind == SDPOWER_QUESTION_NONE ||
			explain_into(e, NULL, 0, &length) != SDPOWER_ENOSPC)
		return brief(&e->answer);
	text = cmd_alloc(1, length + 1);
	if (explain_into(e, text, length + 1, &length) == SDPOWER_OK)
		return text;
	free(text);
	return brief(&e->answer);
}

/* The set of rules a configuration was made with. */
static bool is_set(const struct rules_set *set, const struct sdpower_config *config)
{
	return set->tree == config->tree && set->tuning == config->tuning &&
		set->decisions == config->decisions;
}

static void ask_variant(struct explanation *e, const struct rules_set *set,
	const struct rules_level *level)
{
	struct variant *v = &e->variants[e->count++];
	struct sdpower_config config = e->a.snapshot.config;
	sdpower *s = NULL;

	if (set) {
		config.tree = set->tree;
		config.tuning = set->tuning;
		config.decisions = set->decisions;
	}
	if (level) {
		config.mc = level->mc;
		config.smt = level->smt;
	}
	*v = (struct variant){ .rules = set ? set->name : "recorded", .level = level ? level->word : NULL,
		.mc = config.mc, .smt = config.smt, .answer.struct_size = sizeof(v->answer) };
	v->status = session_variant(&e->a, &config, &s);
	if (v->status == SDPOWER_OK)
		v->status = sdpower_ask(s, &e->a.snapshot.question, &v->answer);
	v->same = v->status == SDPOWER_OK && same_answer(&e->answer, &v->answer);
	rules_drop(s);
}

/* The recorded rules at every level, and every set of rules with the recorded knobs. */
static void ask_variants(struct explanation *e)
{
	e->variants = cmd_alloc(rules_level_count + rules_set_count, sizeof(*e->variants));
	for (uint32_t i = 0; i < rules_level_count; i++)
		ask_variant(e, NULL, &rules_levels[i]);
	for (uint32_t i = 0; i < rules_set_count; i++)
		if (rules_sets[i].tree != SDPOWER_TREE_DEFAULT &&
				!is_set(&rules_sets[i], &e->a.snapshot.config))
			ask_variant(e, &rules_sets[i], NULL);
}

static void print_text(const struct explanation *e)
{
	char *question = session_question(&e->a);

	printf("%s%s%s\n", ink(INK_BOLD), question, ink(INK_PLAIN));
	printf("%s\n", e->why);
	free(question);
	puts("\nthe same question under");
	for (uint32_t i = 0; i < e->count; i++) {
		const struct variant *v = &e->variants[i];
		char *text = brief(&v->answer);

		printf("  %-11s %-12s mc=%u smt=%u  %s%s%s%s\n", v->rules, v->level ? v->level : "",
			(unsigned)v->mc, (unsigned)v->smt, v->same ? "" : ink(INK_NOTE),
			v->status == SDPOWER_OK ? text : sdpower_strstatus(v->status),
			v->same ? " [the same]" : "", v->same ? "" : ink(INK_PLAIN));
		free(text);
	}
}

static void write_answer(struct json *j, const struct sdpower_answer *a)
{
	const bool busiest = a->kind == SDPOWER_QUESTION_BUSIEST;
	char *text = brief(a);

	json_text(j, "answer", text);
	json_text(j, "status", sdpower_strstatus(a->status));
	if (a->status == SDPOWER_OK && a->kind != SDPOWER_QUESTION_NONE) {
		json_id(j, "cpu", a->pick.cpu);
		if (busiest) {
			json_number(j, "imbalance", a->busiest.imbalance);
			json_bool(j, "waiting", a->busiest.waiting);
		}
		json_array(j, "reasons");
		for (uint32_t bit = 1, set = busiest ? a->busiest.reason : a->pick.reason; bit; bit <<= 1)
			if (set & bit)
				json_text(j, NULL, sdpower_reason_text(bit));
		json_close(j);
	}
	free(text);
}

static void print_json(const struct explanation *e)
{
	char *question = session_question(&e->a);
	struct json j;

	json_start(&j, stdout);
	json_text(&j, "snapshot", e->a.name);
	json_text(&j, "kind", session_kind(e->a.snapshot.question.kind));
	json_text(&j, "question", question);
	write_answer(&j, &e->answer);
	json_text(&j, "explanation", e->why);
	json_array(&j, "variants");
	for (uint32_t i = 0; i < e->count; i++) {
		const struct variant *v = &e->variants[i];

		json_object(&j, NULL);
		json_text(&j, "rules", v->rules);
		json_text(&j, "level", v->level);
		json_number(&j, "mc", v->mc);
		json_number(&j, "smt", v->smt);
		json_bool(&j, "same", v->same);
		if (v->status == SDPOWER_OK)
			write_answer(&j, &v->answer);
		else
			json_text(&j, "status", sdpower_strstatus(v->status));
		json_close(&j);
	}
	json_end(&j);
	free(question);
}

static int show(struct explanation *e)
{
	e->answer.struct_size = sizeof(e->answer);
	if (sdpower_ask(e->a.s, &e->a.snapshot.question, &e->answer) != SDPOWER_OK) {
		say_of(e->a.name, "the question is not understood");
		return CMD_INPUT;
	}
	e->why = explain_line(e);
	ask_variants(e);
	if (e->o->json)
		print_json(e);
	else
		print_text(e);
	free(e->variants);
	free(e->why);
	return CMD_GOOD;
}

static int run(const struct cmd_options *o)
{
	struct explanation e = { .o = o };
	size_t length;
	char *text;
	int code = input_read(o->files[0], &text, &length);

	if (code != CMD_GOOD)
		return code;
	code = session_open(&e.a, o->files[0], text, length, 1);
	if (code == CMD_GOOD) {
		code = show(&e);
		session_close(&e.a);
	}
	free(text);
	return code;
}

const struct cmd_command cmd_explain = {
	"explain", "SNAPSHOT", "", 1, 1, "tell why a recorded decision is as it is",
	"Reads a snapshot (- for standard input), asks its question again and prints the decision, the\n"
	"reasons, the runner-up, and what the other levels and sets of rules would have said.",
	run
};
