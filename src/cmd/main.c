/* SPDX-License-Identifier: MIT */
/* Which subcommand, and the texts of --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>
#include "cmd.h"
#include "options.h"
#include "say.h"

static const struct cmd_command *const commands[] = {
	&cmd_topo, &cmd_check, &cmd_domains, &cmd_levels, &cmd_explain, &cmd_replay, &cmd_stats,
	&cmd_calibrate,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

void *cmd_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		fputs("sdpower: no memory\n", stderr);
		exit(CMD_SYSTEM);
	}
	return memory;
}

static int print_version(void)
{
	const uint32_t v = sdpower_version();

	printf("sdpower %u.%u.%u\n", (unsigned)(v / 10000), (unsigned)(v / 100 % 100),
		(unsigned)(v % 100));
	return CMD_GOOD;
}

static int print_commands(void)
{
	puts("usage: sdpower COMMAND [OPTION]... [OPERAND]...\n"
		"Shows what libsdpower knows of a machine, and why it decides as it does.\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->purpose);
	puts("\nsdpower COMMAND --help explains one, sdpower --version names the version, and\n"
		"sdpower(1) is the manual.");
	return CMD_GOOD;
}

static const struct cmd_command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int print_help(const struct cmd_command *c)
{
	printf("usage: sdpower %s [OPTION]...%s%s\n%s\n\n", c->name, *c->operands ? " " : "",
		c->operands, c->help);
	options_print(c->takes);
	return CMD_GOOD;
}

static int run(const struct cmd_command *c, int argc, char **argv)
{
	struct cmd_options o;

	switch (options_read(&o, c, argc, argv)) {
	case OPTIONS_HELP:
		return print_help(c);
	case OPTIONS_RUN:
		return c->run(&o);
	default:
		fprintf(stderr, "Try sdpower %s --help.\n", c->name);
		return CMD_USE;
	}
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct cmd_command *c;

	if (!word) {
		say("a command is missing; try sdpower --help");
		return CMD_USE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return print_commands();
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return print_version();
	c = find(word);
	if (c)
		return run(c, argc - 1, argv + 1);
	say("unknown command \"%s\"; try sdpower --help", word);
	return CMD_USE;
}

int main(int argc, char **argv)
{
	const int code = dispatch(argc, argv);

	/* A full disk is no success. */
	if (fflush(stdout) || ferror(stdout)) {
		say("writing the output failed");
		return CMD_SYSTEM;
	}
	return code;
}
