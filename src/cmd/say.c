/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "say.h"

void say(const char *format, ...)
{
	va_list arguments;

	fputs("sdpower: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void say_of(const char *file, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: error: ", file);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

const char *say_text(const char *file, const struct sdpower_diag *diag)
{
	const size_t name = strlen(file);

	if (!diag->text[0])
		return sdpower_strstatus(diag->status);
	if (!strncmp(diag->text, file, name) && !strncmp(diag->text + name, ": ", 2))
		return diag->text + name + 2;
	return diag->text;
}

/* What is wrong with a file says the system in its own words, which the text is. */
static bool is_said(sdpower_status status)
{
	return status == SDPOWER_ENOENT || status == SDPOWER_EIO;
}

void say_diag(const char *file, const char *kind, const struct sdpower_diag *diag)
{
	const char *text = say_text(file, diag), *status = sdpower_strstatus(diag->status);

	fprintf(stderr, "%s:", file);
	if (diag->line)
		fprintf(stderr, "%u:", (unsigned)diag->line);
	if (diag->column)
		fprintf(stderr, "%u:", (unsigned)diag->column);
	fprintf(stderr, " %s: %s", kind, text);
	if (diag->status != SDPOWER_OK && text != status && !is_said(diag->status))
		fprintf(stderr, " (%s)", status);
	fputc('\n', stderr);
}
