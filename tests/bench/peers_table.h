/* SPDX-License-Identifier: MIT */
/* The table of a benchmark of peers. */
#ifndef SDPOWER_PEERS_TABLE_H
#define SDPOWER_PEERS_TABLE_H

#include "peers_run.h"

#define PEERS_MOST_ROUNDS 31

/* All rounds of a peer with one load. */
struct peers_cell {
	struct peer_outcome round[PEERS_MOST_ROUNDS];
	bool unable, failed; /* no further rounds */
};

void peers_table_head(void);

/* A load, and what each peer made of it in so many rounds. */
void peers_table_rows(const char *load, const struct peer_run *run, unsigned work_us,
	const struct peers_cell cells[PEERS_COUNT], int rounds);

#endif
