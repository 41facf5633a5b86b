/* SPDX-License-Identifier: MIT */
/* Starts the program of a peer for one run of a load. */
#ifndef SDPOWER_PEERS_RUN_H
#define SDPOWER_PEERS_RUN_H

#include <stdbool.h>
#include "peers/peer_load.h"

/* Ours first: the others are compared with them. */
#define PEERS(X) \
	X(sdpower_performance) X(sdpower_powersave) \
	X(inline) X(mutex) X(chaselev) \
	X(tbb) X(gomp) X(libomp) X(glib) X(libuv) X(starpu) X(asio)

#define PEERS_ID(name) PEERS_##name,
enum peers_id { PEERS(PEERS_ID) PEERS_COUNT };
#undef PEERS_ID

/* What became of a run. */
enum peers_end { PEERS_DONE, PEERS_UNABLE, PEERS_FAILED };

const char *peers_name(enum peers_id id);
const char *peers_load_name(enum peer_load load);

/* Was its program built? */
bool peers_built(enum peers_id id);

/* Takes `seconds` at most. All of the outcome is NaN unless it is PEERS_DONE. */
enum peers_end peers_run(enum peers_id id, const struct peer_run *run, unsigned seconds,
	struct peer_outcome *out);

#endif
