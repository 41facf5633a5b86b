/* SPDX-License-Identifier: MIT */
/* sdpower topo: a machine and its domains in several forms. */
#ifndef CMD_TOPO_H
#define CMD_TOPO_H

#include "chains.h"
#include "parts.h"

struct topo {
	char name[256];     /* for the title */
	const char *rules;
	const struct sdpower_topology *t;
	struct sdpower_topology_summary summary;
	struct parts parts;
	struct chains chains;
	bool all;
};

void topo_text(const struct topo *topo);
void topo_json(const struct topo *topo);
void topo_svg(const struct topo *topo);

#endif
