/* SPDX-License-Identifier: MIT */
/* One line a machine: how many of what. */
#ifndef CMD_SUMMARY_H
#define CMD_SUMMARY_H

#include "cmd.h"

/* Prints all operands, the good ones although others are not: an exit code. */
int summary_print(const struct cmd_options *o);

#endif
