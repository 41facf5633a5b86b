/* SPDX-License-Identifier: MIT */
/* What operands name: texts and machines. */
#ifndef CMD_INPUT_H
#define CMD_INPUT_H

#include <sdpower.h>
#include "cmd.h"

/* Reads a file, or standard input for "-", and says what went wrong; the caller frees text. */
int input_read(const char *name, char **text, size_t *length);

/* A machine and how to call it. */
struct input_machine {
	struct sdpower_topology *table;
	struct sdpower_topology header; /* for machines that table does not own */
	void *memory;
	const char *name;               /* as the operand was written, or "this machine" */
	struct sdpower_diag diag;       /* OK with a text is a warning */
};

/*
 * Reads the machine an operand names: NULL is the one we run on; "-" and files are .topo texts;
 * a directory is the root of a file system; anything else is a synthetic string.
 */
sdpower_status input_machine(struct input_machine *m, const char *operand);

/* The same, and says what is wrong, warnings included: an exit code. */
int input_machine_or_say(struct input_machine *m, const char *operand);

void input_machine_drop(struct input_machine *m);

/* The last part of a path without its suffix; other operands as they are. */
void input_short_name(const char *name, char *text, size_t size);

#endif
