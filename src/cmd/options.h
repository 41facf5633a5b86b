/* SPDX-License-Identifier: MIT */
/* Options of all subcommands, from one table. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "cmd.h"

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG };

/* Reads the words behind the name of a command; says what is wrong with them. */
enum options_result options_read(struct cmd_options *o, const struct cmd_command *c, int argc,
	char **argv);

/* Prints one line for each option that these letters name, and for those that all take. */
void options_print(const char *takes);

#endif
