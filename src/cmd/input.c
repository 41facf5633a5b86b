/* SPDX-License-Identifier: MIT */
/* What operands name: texts and machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sdpower/hosted.h>
#include "input.h"
#include "say.h"

#define SUFFIX ".topo"

/* Twice as much at a time, so that a text of any length costs few copies. */
static char *grow(char *text, size_t *size)
{
	char *larger = realloc(text, *size * 2);

	if (!larger) {
		say("no memory");
		exit(CMD_SYSTEM);
	}
	*size *= 2;
	return larger;
}

static int read_stream(FILE *file, char **text, size_t *length)
{
	size_t size = 65536, got;

	*text = cmd_alloc(1, size);
	*length = 0;
	do {
		if (*length == size)
			*text = grow(*text, &size);
		got = fread(*text + *length, 1, size - *length, file);
		*length += got;
	} while (got);
	return ferror(file) ? errno : 0;
}

int input_read(const char *name, char **text, size_t *length)
{
	const bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "rb");
	int error;

	*text = NULL;
	if (!file) {
		say_of(name, "%s", strerror(errno));
		return CMD_INPUT;
	}
	error = read_stream(file, text, length);
	if (!standard)
		fclose(file);
	if (!error)
		return CMD_GOOD;
	say_of(name, "%s", strerror(error));
	free(*text);
	*text = NULL;
	return CMD_INPUT;
}

static sdpower_status fail(struct input_machine *m, sdpower_status status, const char *why)
{
	m->diag.status = status;
	snprintf(m->diag.text, sizeof(m->diag.text), "%s", why);
	return status;
}

/* Grows the memory until the table fits. */
static sdpower_status parse(struct input_machine *m, const char *text, size_t length)
{
	size_t size = 65536;
	sdpower_status status;

	do {
		free(m->memory);
		m->memory = cmd_alloc(1, size);
		m->header = (struct sdpower_topology){ .struct_size = sizeof(m->header) };
		status = sdpower_topology_text(text, length, m->memory, size, &m->header, &m->diag);
		size = size * 2 > m->header.memory_needed ? size * 2 : m->header.memory_needed;
	} while (status == SDPOWER_ENOSPC);
	m->table = status == SDPOWER_OK ? &m->header : NULL;
	return status;
}

static sdpower_status load_text(struct input_machine *m, const char *name)
{
	const bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "rb");
	sdpower_status status;
	size_t length;
	char *text;
	int error;

	if (!file)
		return fail(m, errno == ENOENT ? SDPOWER_ENOENT : SDPOWER_EIO, strerror(errno));
	error = read_stream(file, &text, &length);
	status = error ? fail(m, SDPOWER_EIO, strerror(error)) : parse(m, text, length);
	free(text);
	if (!standard)
		fclose(file);
	return status;
}

/* No synthetic string has a slash or ends so. */
static bool looks_like_path(const char *operand)
{
	const size_t length = strlen(operand), suffix = strlen(SUFFIX);

	return strchr(operand, '/') ||
		(length > suffix && !strcmp(operand + length - suffix, SUFFIX));
}

sdpower_status input_machine(struct input_machine *m, const char *operand)
{
	struct stat info;

	*m = (struct input_machine){ .name = operand ? operand : "this machine",
		.diag.struct_size = sizeof(m->diag) };
	if (!operand)
		return sdpower_hosted_topology(NULL, 0, &m->table, &m->diag);
	if (!strcmp(operand, "-")) {
		m->name = "standard input";
		return load_text(m, operand);
	}
	if (!stat(operand, &info) && S_ISDIR(info.st_mode))
		return sdpower_hosted_topology(operand, SDPOWER_LINUX_EVERY_FILE, &m->table, &m->diag);
	if (!stat(operand, &info) || looks_like_path(operand))
		return load_text(m, operand);
	return sdpower_hosted_topology_synthetic(operand, &m->table, &m->diag);
}

int input_machine_or_say(struct input_machine *m, const char *operand)
{
	const sdpower_status status = input_machine(m, operand);

	m->diag.status = status;
	if (status != SDPOWER_OK) {
		say_diag(m->name, "error", &m->diag);
		input_machine_drop(m);
		return CMD_INPUT;
	}
	if (m->diag.text[0])
		say_diag(m->name, "warning", &m->diag);
	return CMD_GOOD;
}

void input_machine_drop(struct input_machine *m)
{
	if (m->table != &m->header)
		sdpower_hosted_topology_free(m->table);
	free(m->memory);
	m->table = NULL;
	m->memory = NULL;
}

void input_short_name(const char *name, char *text, size_t size)
{
	const char *slash = strrchr(name, '/');
	size_t length;

	snprintf(text, size, "%s", slash && slash[1] ? slash + 1 : name);
	length = strlen(text);
	if (length > strlen(SUFFIX) && !strcmp(text + length - strlen(SUFFIX), SUFFIX))
		text[length - strlen(SUFFIX)] = '\0';
}
