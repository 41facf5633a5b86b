/* SPDX-License-Identifier: MIT */
/*
 * The loader of Linux systems, shared by its parts. One load reads, in this order: which
 * cpus there are and which run (linux_survey.c), who may be used (linux_cgroup.c,
 * linux_allowed.c), then for the cpus that run who shares what (linux_cpus.c,
 * linux_caches.c through linux_classes.c), and the nodes (linux_nodes.c).
 */
#ifndef SDPOWER_I_LINUX_H
#define SDPOWER_I_LINUX_H

#include <sdpower/topology.h>
#include "cpulist.h"
#include "scan.h"
#include "topo_index.h"

/* Paths of control groups are the long ones; Kubernetes writes about 250 bytes. */
#define SDPOWER_I_PATH 1024u

#define SDPOWER_I_CPU_DIR "sys/devices/system/cpu/"
#define SDPOWER_I_NODE_DIR "sys/devices/system/node/"

/* One hierarchy of control groups: where it is mounted and where we are in it. */
struct sdpower_i_cgroup {
	int found;
	char directory[SDPOWER_I_PATH]; /* relative to the root of the file system */
	uint32_t mount_length;          /* its part that is the mount point */
};

/* Hierarchies that matter: of cpu sets, of cpu time (version 1), and version 2. */
enum sdpower_i_hierarchy { SDPOWER_I_CPUSET, SDPOWER_I_CPU, SDPOWER_I_V2, SDPOWER_I_HIERARCHIES };

struct sdpower_i_linux {
	const struct sdpower_linux_source *source;
	struct sdpower_i_topo_index *index; /* set when the source is one: saves measuring paths */
	struct sdpower_diag *diag;
	uint32_t arch;
	uint32_t ids;            /* os ids are below this */
	uint32_t words;          /* of masks over os ids */
	uint32_t node_words;     /* of masks over node ids */
	uint32_t node_bound;     /* no more nodes than this */
	char *buffer;            /* content of the file read last */
	size_t buffer_size;
	size_t content_size;     /* its size, also when it did not fit */
	uint32_t path_length;
	uint32_t path_cpu;       /* cpu whose directory the path begins with, or NONE */
	uint32_t path_directory; /* length of that beginning */
	char path[SDPOWER_I_PATH];
	/* masks over os ids */
	uint32_t *possible;
	uint32_t *online;
	uint32_t *affinity;
	uint32_t *cpuset;
	uint32_t *mask;          /* scratch: the set read last */
	uint32_t *other;         /* scratch: the set it is compared with */
	int has_affinity;
	int has_cpuset;
	uint32_t *node_mask;     /* over node ids */
	/* by os id */
	uint32_t *class_of;      /* scratch: first cpu that named this one */
	uint32_t *class_size;    /* scratch: members, at the first cpu */
	uint32_t *core_of;       /* first thread of the core, as class_of */
	uint32_t *core_size;     /* as class_size */
	uint8_t *l2_index;       /* number of the cache directory that is the L2 */
	struct sdpower_i_cgroup *groups; /* scratch of linux_cgroup.c */
	/* results */
	struct sdpower_cpu_desc *cpus;
	uint32_t cpu_count;
	uint32_t *nodes;
	uint32_t node_count;
	uint16_t *distances;
	int has_distances;
	uint32_t *allowed;       /* over cpu numbers */
	int has_allowed;
	uint32_t overlapping;
	uint32_t quota_milli;
};

/* linux.c: bytes a load takes, when it finds this many ids. */
size_t sdpower_i_linux_memory(uint32_t ids, uint32_t node_words, uint32_t node_bound);

/* linux_read.c: paths, files, and what stands in them. */
void sdpower_i_linux_path(struct sdpower_i_linux *l, const char *text);
void sdpower_i_linux_append(struct sdpower_i_linux *l, const char *text);
void sdpower_i_linux_append_u32(struct sdpower_i_linux *l, uint32_t value);
/* "sys/devices/system/cpu/cpu<cpu>/<file>" */
void sdpower_i_linux_cpu_path(struct sdpower_i_linux *l, uint32_t cpu, const char *file);
/* Content of the file at l->path without its trailing line ends: OK, ENOENT, EIO, ENOSPC. */
sdpower_status sdpower_i_linux_read(struct sdpower_i_linux *l, struct sdpower_i_scan *content);
/* A decimal number; -1 and an empty file read as SDPOWER_ID_NONE. */
sdpower_status sdpower_i_linux_number(struct sdpower_i_linux *l, uint32_t *value);
/* A set over os ids; mask may be NULL when only ids is asked. */
sdpower_status sdpower_i_linux_set(struct sdpower_i_linux *l, int is_list, uint32_t *mask,
	struct sdpower_i_ids *ids);
/* Reports content that makes no sense at the cursor; names the file. */
sdpower_status sdpower_i_linux_fail(struct sdpower_i_linux *l, sdpower_status status,
	const struct sdpower_i_scan *at, const char *why);

/* linux_survey.c */
sdpower_status sdpower_i_linux_survey(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_find_cpus(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_survey_nodes(struct sdpower_i_linux *l);

/* linux_classes.c: cpus that share something. */
struct sdpower_i_level {
	/* Reads who shares with a cpu into mask; leaves the file's name in l->path. */
	sdpower_status (*read)(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu,
		uint32_t *mask);
	const char *const *files;  /* names of the file, NULL-terminated, lists end in "_list" */
	uint32_t hint;             /* the one that was there last time */
	uint32_t overlap;          /* bit of enum sdpower_overlap, 0 = not reported */
	int trusts_cores;          /* a set that is a core needs no second opinion */
};
/* Fills l->class_of; SDPOWER_ID_NONE where there is no file. */
sdpower_status sdpower_i_linux_classify(struct sdpower_i_linux *l, struct sdpower_i_level *level);
/* A read function over level->files. */
sdpower_status sdpower_i_linux_read_level(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	uint32_t cpu, uint32_t *mask);
/* The first and the last cpu that run have no such file: nobody has. */
sdpower_status sdpower_i_linux_is_there(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	int *there);
uint32_t sdpower_i_linux_first_online(const struct sdpower_i_linux *l);
uint32_t sdpower_i_linux_last_online(const struct sdpower_i_linux *l);

/* The others, one noun each. */
sdpower_status sdpower_i_linux_cpus(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_strength(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_caches(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_nodes(struct sdpower_i_linux *l);
sdpower_status sdpower_i_linux_find_cgroups(struct sdpower_i_linux *l);
/* Reads l->cpuset and the quota. */
sdpower_status sdpower_i_linux_cgroups(struct sdpower_i_linux *l);
/* Reads l->affinity, settles who runs, then who is allowed. */
sdpower_status sdpower_i_linux_affinity(struct sdpower_i_linux *l);
void sdpower_i_linux_settle(struct sdpower_i_linux *l);
void sdpower_i_linux_store_allowed(struct sdpower_i_linux *l);

static inline int sdpower_i_linux_has(const uint32_t *mask, uint32_t id)
{
	return (mask[id / 32u] >> (id % 32u)) & 1u;
}

static inline int sdpower_i_linux_reads_every_file(const struct sdpower_i_linux *l)
{
	return (l->source->flags & SDPOWER_LINUX_EVERY_FILE) != 0;
}

#endif
