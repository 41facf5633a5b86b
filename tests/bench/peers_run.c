/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "peers/peer.h"
#include "peers_run.h"

#define NAME(name) #name,

const char *peers_name(enum peers_id id)
{
	static const char *const names[] = { PEERS(NAME) };

	return names[id];
}

const char *peers_load_name(enum peer_load load)
{
	static const char *const names[] = { PEER_LOADS(NAME) };

	return names[load];
}

static void path_of(enum peers_id id, char *path, size_t size)
{
	snprintf(path, size, PEERS_FOLDER "/peer_%s", peers_name(id));
}

bool peers_built(enum peers_id id)
{
	char path[4096];

	path_of(id, path, sizeof(path));
	return !access(path, X_OK);
}

/* The line of a peer; false when it is not one. */
static bool read_outcome(FILE *from, struct peer_outcome *out)
{
	int i = 0;

	while (i < PEER_QUANTITY_COUNT && fscanf(from, "%lf", &out->value[i]) == 1)
		i++;
	return i == PEER_QUANTITY_COUNT;
}

enum peers_end peers_run(enum peers_id id, const struct peer_run *run, unsigned seconds,
	struct peer_outcome *out)
{
	char path[4096], command[4400];
	bool complete = false;
	int status = -1;
	FILE *from;

	path_of(id, path, sizeof(path));
	snprintf(command, sizeof(command), "exec '%s' %s %u %llu %llu %llu %llu %u 2>/dev/null", path,
		peers_load_name(run->load), run->threads, (unsigned long long)run->turns,
		(unsigned long long)run->amount, (unsigned long long)run->period_us,
		(unsigned long long)run->burst, seconds);
	from = popen(command, "r");
	if (from) {
		complete = read_outcome(from, out);
		status = pclose(from);
	}
	if (complete && status == 0)
		return PEERS_DONE;
	for (int i = 0; i < PEER_QUANTITY_COUNT; i++)
		out->value[i] = NAN;
	return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == PEER_UNABLE ?
		PEERS_UNABLE : PEERS_FAILED;
}
