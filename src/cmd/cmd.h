/* SPDX-License-Identifier: MIT */
/* The sdpower command: what its subcommands share. It sees only public headers. */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes; the manual page explains them. */
enum cmd_exit {
	CMD_GOOD = 0,  /* done, and the answer is yes where there is a question */
	CMD_NO = 1,    /* a description is faulty, a recorded answer differs */
	CMD_USE = 2,   /* wrong use */
	CMD_INPUT = 3, /* what was given cannot be read or understood */
	CMD_SYSTEM = 4 /* not possible here: memory, output, a call this build lacks */
};

/* Everything the options of any subcommand say; what was not given is 0 or as noted. */
struct cmd_options {
	bool json, dot, svg, csv, summary, all, quiet, strict, record, line, keep, points;
	const char *colour;   /* "auto" */
	const char *rules;    /* "default" */
	const char *level;    /* a word, or NULL */
	const char *load;     /* a file, or NULL */
	const char *costs;    /* a file, or NULL */
	uint32_t mc, smt;     /* CMD_UNSET */
	uint32_t percent;     /* 0 = the library's, like the times in ms that follow */
	uint32_t near, far, hard, total;
	uint32_t cpu;         /* an os id, or CMD_UNSET */
	uint32_t file_count;
	char **files;         /* the operands */
};

#define CMD_UNSET UINT32_MAX

struct cmd_command {
	const char *name;
	const char *operands; /* for the usage line */
	const char *takes;    /* letters of the options it knows */
	uint32_t least, most; /* operands */
	const char *purpose;  /* one line for the list of commands */
	const char *help;     /* a paragraph */
	int (*run)(const struct cmd_options *o);
};

/* The larger of two exit codes is the one to end with. */
static inline int cmd_worse(int a, int b)
{
	return a > b ? a : b;
}

/* Zeroed memory, or the end of the program: nothing here is worth saving. */
void *cmd_alloc(size_t count, size_t size);

extern const struct cmd_command cmd_topo;
extern const struct cmd_command cmd_check;
extern const struct cmd_command cmd_domains;
extern const struct cmd_command cmd_levels;
extern const struct cmd_command cmd_explain;
extern const struct cmd_command cmd_replay;
extern const struct cmd_command cmd_stats;
extern const struct cmd_command cmd_calibrate;

#endif
