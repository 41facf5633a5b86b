/* SPDX-License-Identifier: MIT */
/* Questions of any kind, and their answers as lines; the format is in trace.h. */
#include <sdpower/trace.h>
#include "../topology/text.h"

/* A field of the answer and how it is read. */
struct field {
	const char *name;
	uint16_t offset;
	uint16_t size;
};

#define FIELD(member) { #member, offsetof(struct sdpower_busiest, member), \
	sizeof(((struct sdpower_busiest *)0)->member) }
#define STAT(member) { #member, offsetof(struct sdpower_busiest, stats.member), \
	sizeof(((struct sdpower_busiest *)0)->stats.member) }

static const struct field busiest_fields[] = {
	FIELD(reason), FIELD(group), FIELD(group_first), FIELD(imbalance), FIELD(sd_idle),
	FIELD(balance), FIELD(nominee), FIELD(kind), FIELD(from), FIELD(target), FIELD(util_most),
	FIELD(spreading), FIELD(waiting), FIELD(most),
	STAT(total_load), STAT(total_power), STAT(this_load), STAT(max_load), STAT(avg_load),
	STAT(this_lpt), STAT(busiest_lpt), STAT(min_lpt), STAT(this_nr), STAT(busiest_nr),
	STAT(leader_nr), STAT(min_nr), STAT(group_imb), STAT(power_balance), STAT(group_min),
	STAT(group_leader),
};

static sdpower_status ask_queue(const sdpower *s, const struct sdpower_question *q,
	struct sdpower_answer *a)
{
	const struct sdpower_queue_request request = { .struct_size = sizeof(request),
		.domain = a->busiest.domain, .group = a->busiest.group,
		.imbalance = a->busiest.imbalance, .candidates = q->busiest.candidates,
		.candidate_words = q->busiest.candidate_words };

	if (a->busiest.group == SDPOWER_ID_NONE)
		return SDPOWER_OK;
	return sdpower_find_busiest_queue(s, &request, &a->pick);
}

static sdpower_status ask_busiest(const sdpower *s, const struct sdpower_question *q,
	struct sdpower_answer *a)
{
	sdpower_status status;

	a->busiest.struct_size = sizeof(a->busiest);
	status = sdpower_find_busiest_group(s, &q->busiest, &a->busiest);
	return status == SDPOWER_OK ? ask_queue(s, q, a) : status;
}

sdpower_status sdpower_ask(const sdpower *s, const struct sdpower_question *question,
	struct sdpower_answer *answer)
{
	struct sdpower_answer a = { .struct_size = sizeof(a), .pick = { SDPOWER_CPU_NONE, 0 } };

	if (!s || !question || !answer || question->struct_size != sizeof(*question) ||
	    answer->struct_size != sizeof(*answer) || question->kind > SDPOWER_QUESTION_PLACE)
		return SDPOWER_EINVAL;
	a.kind = question->kind;
	if (a.kind == SDPOWER_QUESTION_BUSIEST)
		a.status = ask_busiest(s, question, &a);
	else if (a.kind == SDPOWER_QUESTION_WAKE)
		a.status = sdpower_select_cpu(s, &question->wake, &a.pick);
	else if (a.kind == SDPOWER_QUESTION_PLACE)
		a.status = sdpower_place(s, &question->place, &a.pick);
	*answer = a;
	return SDPOWER_OK;
}

static void write_name(struct sdpower_i_text *t, const char *name)
{
	sdpower_i_text_char(t, ' ');
	sdpower_i_text_str(t, name);
	sdpower_i_text_char(t, '=');
}

static void write_u32(struct sdpower_i_text *t, const char *name, uint32_t value)
{
	write_name(t, name);
	if (value == UINT32_MAX)
		sdpower_i_text_char(t, '-');
	else
		sdpower_i_text_u32(t, value);
}

static void write_status(struct sdpower_i_text *t, sdpower_status status)
{
	write_name(t, "status");
	if (status < 0)
		sdpower_i_text_char(t, '-');
	sdpower_i_text_u32(t, (uint32_t)(status < 0 ? -status : status));
}

static void write_fields(struct sdpower_i_text *t, const struct sdpower_busiest *b)
{
	for (size_t i = 0; i < sizeof(busiest_fields) / sizeof(busiest_fields[0]); i++) {
		const struct field *f = &busiest_fields[i];
		const void *at = (const char *)b + f->offset;

		if (f->size == sizeof(uint32_t)) {
			write_u32(t, f->name, *(const uint32_t *)at);
		} else {
			write_name(t, f->name);
			sdpower_i_text_u64(t, *(const uint64_t *)at);
		}
	}
}

static void write_answer(struct sdpower_i_text *t, const struct sdpower_answer *a)
{
	static const char kinds[4][8] = { "none", "busiest", "wake", "place" };
	const int busiest = a->kind == SDPOWER_QUESTION_BUSIEST;

	sdpower_i_text_str(t, "answer ");
	sdpower_i_text_str(t, kinds[a->kind]);
	write_status(t, a->status);
	if (a->status == SDPOWER_OK && busiest)
		write_fields(t, &a->busiest);
	if (a->status == SDPOWER_OK && a->kind != SDPOWER_QUESTION_NONE) {
		write_u32(t, busiest ? "queue" : "cpu", a->pick.cpu);
		write_u32(t, busiest ? "queue_reason" : "reason", a->pick.reason);
	}
	sdpower_i_text_char(t, '\n');
}

static int answer_fits(const struct sdpower_answer *a)
{
	return a && a->struct_size == sizeof(*a) && a->kind <= SDPOWER_QUESTION_PLACE;
}

sdpower_status sdpower_answer_write(const struct sdpower_answer *answer, char *buffer, size_t size,
	size_t *length)
{
	struct sdpower_i_text t;

	if (!answer_fits(answer) || !length || (!buffer && size))
		return SDPOWER_EINVAL;
	t = sdpower_i_text_into(buffer, size);
	write_answer(&t, answer);
	*length = sdpower_i_text_end(&t);
	return *length < size ? SDPOWER_OK : SDPOWER_ENOSPC;
}

sdpower_status sdpower_trace_write(const sdpower *s, const struct sdpower_question *question,
	const struct sdpower_answer *answer, char *buffer, size_t size, size_t *length)
{
	sdpower_status status;
	size_t first, second, room;

	if (!question || !answer_fits(answer) || question->kind != answer->kind || !length)
		return SDPOWER_EINVAL;
	status = sdpower_snapshot_write(s, question, buffer, size, &first);
	if (status != SDPOWER_OK && status != SDPOWER_ENOSPC)
		return status;
	room = first < size ? size - first : 0;
	status = sdpower_answer_write(answer, room ? buffer + first : NULL, room, &second);
	*length = first + second;
	return status;
}
