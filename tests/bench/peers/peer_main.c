/* SPDX-License-Identifier: MIT */
/*
 * peer_NAME LOAD THREADS TURNS AMOUNT PERIOD_US BURST SECONDS: one run of a load, see
 * peer_load.h; prints its outcome and ends itself if it takes longer than that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "peer.h"
#include "peer_load.h"

void peer_need(bool success, const char *what)
{
	if (success)
		return;
	fprintf(stderr, "peer: failed: %s\n", what);
	_exit(EXIT_FAILURE);
}

static enum peer_load load_named(const char *name)
{
#define NAME(name) #name,
	static const char *const names[] = { PEER_LOADS(NAME) };
#undef NAME
	int i = 0;

	while (i < PEER_LOAD_COUNT && strcmp(name, names[i]))
		i++;
	return (enum peer_load)i;
}

static struct peer_run read_run(char **argument)
{
	return (struct peer_run){
		.load = load_named(argument[0]),
		.threads = (unsigned)strtoul(argument[1], NULL, 10),
		.turns = strtoull(argument[2], NULL, 10),
		.amount = strtoull(argument[3], NULL, 10),
		.period_us = strtoull(argument[4], NULL, 10),
		.burst = strtoull(argument[5], NULL, 10),
	};
}

int main(int argc, char **argv)
{
	struct peer_outcome out;
	struct peer_run run;
	int status;

	peer_need(argc == 8, "seven arguments");
	run = read_run(argv + 1);
	peer_need(run.load < PEER_LOAD_COUNT && run.threads > 0 && run.threads <= PEER_MOST_THREADS &&
		run.amount > 0, "arguments that make sense");
	/* Not caught by anybody: whatever hangs, it ends the process. */
	alarm((unsigned)strtoul(argv[7], NULL, 10));
	status = peer_load_run(&run, &out);
	if (status)
		return status;
	for (int i = 0; i < PEER_QUANTITY_COUNT; i++)
		printf("%.9g%c", out.value[i], i + 1 < PEER_QUANTITY_COUNT ? ' ' : '\n');
	return EXIT_SUCCESS;
}
