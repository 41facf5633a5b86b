/* SPDX-License-Identifier: MIT */
/**
 * @file topology.h
 * @brief The machine as a table, and the converters that fill it.
 *
 * The core knows machines only as a table: one #sdpower_cpu_desc per possible cpu,
 * ordered by ascending os id, plus the NUMA nodes and their distances. Hosts fill the
 * table themselves (static const data on an RTOS), or let a converter do it: a synthetic
 * string, a `.topo` text, or the files of a Linux system through a read callback. None of
 * them allocates: each call places everything the table points at in memory the caller
 * gives, and says how much it needs when that was too little.
 *
 * Ids say who shares what: two cpus with equal `llc` share a last-level cache, and so on.
 * Ids are compared machine-wide, except `core` and `die`, which count within a package:
 * two cpus are SMT siblings iff package and core are equal. #SDPOWER_ID_NONE means
 * unknown: such a cpu shares that level with nobody.
 */
#ifndef SDPOWER_TOPOLOGY_H
#define SDPOWER_TOPOLOGY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Processor families with scheduling levels of their own (docs/POLICY.md, B4 and B13). */
enum sdpower_arch {
	SDPOWER_ARCH_GENERIC = 0, /**< anything else: SMT, cache, node */
	SDPOWER_ARCH_X86_64 = 1,  /**< x86, 64 bit */
	SDPOWER_ARCH_X86_32 = 2,  /**< x86, 32 bit */
	SDPOWER_ARCH_ARM = 3,     /**< Arm, 32 bit */
	SDPOWER_ARCH_ARM64 = 4,   /**< Arm, 64 bit */
	SDPOWER_ARCH_POWERPC = 5, /**< POWER and PowerPC */
	SDPOWER_ARCH_S390 = 6,    /**< s390: sockets, books, drawers */
	SDPOWER_ARCH_IA64 = 7,    /**< Itanium */
	SDPOWER_ARCH_SPARC64 = 8, /**< 64-bit SPARC */
	SDPOWER_ARCH_SH = 9,      /**< SuperH */
	SDPOWER_ARCH_MIPS = 10,   /**< MIPS (IP27) */
	SDPOWER_ARCH_RISCV = 11   /**< RISC-V */
};

/** Bits of sdpower_cpu_desc::flags. */
enum sdpower_cpu_flag {
	SDPOWER_CPU_OFFLINE = 1, /**< possible but not online: in the table, in no domain */
	SDPOWER_CPU_VIRTUAL = 2  /**< does not exist on the real machine: never pin to it */
};

/**
 * One possible cpu. Zero is an id like any other: a field left out of an initialiser says that
 * the cpu shares id 0, not that nothing is known. #SDPOWER_CPU_DESC writes the usual entry.
 */
struct sdpower_cpu_desc {
	uint32_t os_id;     /**< number the operating system uses; ascending, may have holes */
	uint32_t core;      /**< core within the package; NONE = the cpu is a core of its own */
	uint32_t smt;       /**< position within the core, 0 = first thread; informative */
	uint32_t l2;        /**< machine-wide id of the L2 cache */
	uint32_t cluster;   /**< machine-wide id of the firmware cluster */
	uint32_t llc;       /**< machine-wide id of the last-level cache */
	uint32_t die;       /**< die within the package */
	uint32_t package;   /**< machine-wide package (socket) id */
	uint32_t book;      /**< s390: machine-wide book id */
	uint32_t drawer;    /**< s390: machine-wide drawer id */
	/** NUMA node id; must be one of sdpower_topology::nodes when those are given */
	uint32_t node;
	uint32_t capacity;  /**< 1 .. 1024, 1024 = the strongest cpu; 0 reads as 1024 */
	uint32_t priority;  /**< preferred order among equals, higher first; 0 = none */
	uint32_t flags;     /**< set of #sdpower_cpu_flag; other bits must be 0 */
};

/**
 * Initialiser of a #sdpower_cpu_desc for static tables: an online cpu of full capacity of which
 * these ids are known (or #SDPOWER_ID_NONE) and all others are not.
 */
#define SDPOWER_CPU_DESC(os_id, core, llc, package, node) \
	{ (os_id), (core), 0, SDPOWER_ID_NONE, SDPOWER_ID_NONE, (llc), SDPOWER_ID_NONE, (package), \
	  SDPOWER_ID_NONE, SDPOWER_ID_NONE, (node), SDPOWER_SCALE, 0, 0 }

/** Levels whose masks were found to overlap without being equal (sdpower_topology::overlapping). */
enum sdpower_overlap {
	SDPOWER_OVERLAP_CORE = 1,    /**< thread siblings */
	SDPOWER_OVERLAP_L2 = 2,      /**< L2 sharers */
	SDPOWER_OVERLAP_CLUSTER = 4, /**< clusters */
	SDPOWER_OVERLAP_LLC = 8,     /**< last-level cache sharers */
	SDPOWER_OVERLAP_PACKAGE = 16,/**< packages */
	SDPOWER_OVERLAP_BOOK = 32,   /**< books */
	SDPOWER_OVERLAP_DRAWER = 64  /**< drawers */
};

/**
 * A machine. Plain data, const after filling; every pointer stays owned by the caller
 * (or by the memory the caller gave to a converter) and must outlive only the calls that
 * read it: init copies what it needs.
 */
struct sdpower_topology {
	uint32_t struct_size;   /**< sizeof(struct sdpower_topology), set by the caller */
	uint32_t arch;          /**< one of #sdpower_arch */
	uint32_t cpu_count;     /**< entries of cpus, 1 .. #SDPOWER_MAX_CPUS */
	uint32_t cpu_stride;    /**< sizeof(struct sdpower_cpu_desc) at the caller's compile time */
	const struct sdpower_cpu_desc *cpus; /**< [cpu_count], ascending os_id */
	/** entries of nodes, at most 4096; 0 = the machine has no NUMA nodes */
	uint32_t node_count;
	/** [node_count] node ids, ascending, nodes without cpus included; may have holes */
	const uint32_t *nodes;
	/** [node_count][node_count], row = from; NULL = 10 local, 20 remote */
	const uint16_t *distances;
	const uint32_t *allowed;   /**< mask over cpu numbers this process may use; NULL = all */
	uint32_t allowed_words;    /**< words of allowed */
	/** set of #sdpower_overlap: rules that need such a level refuse the machine */
	uint32_t overlapping;
	/**
	 * cpu-time limit of the process in 1/1000 cpu; 0 = unlimited. Never fewer cpus: a capacity
	 * the host can plan with
	 */
	uint32_t quota_milli;
	/** set by converters: bytes the table takes, also when they answer ENOSPC */
	size_t memory_needed;
	const char *name;          /**< name for people, or NULL */
};

/**
 * Checks a table the way init does.
 * @param topology the table
 * @param diag where to say what is wrong, or NULL
 * @return OK; EINVAL for a wrong size, stride, arch, flag or missing pointer, or os or node ids
 *         that do
 *         not ascend; ERANGE for too many cpus or nodes, a capacity above 1024 or an online cpu
 * whose
 *         node is not listed; EMPTY for no usable cpu (online and allowed)
 * @par Context any thread. O(cpus log nodes), no writes but diag.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_check(
	const struct sdpower_topology *topology, struct sdpower_diag *diag);

/**
 * Builds a table from a synthetic string such as "numa:2 pack:1 l3:1 core:4 pu:2".
 *
 * Grammar (words separated by blanks, outermost level first, names in any case):
 * - `type:count` with type one of pack (package, socket), die, l3 (llc), l2 (cluster), core,
 *   pu (thread), in this order inward, and numa (node) anywhere above core. A type appears at
 *   most once; count is 1 or more, and their product the number of cpus; at most 4096 nodes.
 * - Types left out: a pack, a die and an l3 exist once in whatever stands around them; without
 *   l2 nothing is known of that cache; without core every pu is a core of its own; without pu
 *   a core has one; without numa the machine has no nodes.
 * - `[numa]` after a level: one node in each object of that level; `group:N [numa]` is `numa:N`.
 * - Bare counts take their types by their number: `pu`; `core pu`; `pack core pu`;
 *   `pack numa core pu`; `pack numa l2 core pu`. Typed levels may stand before them.
 * - `indexes=` says how cpus are numbered. A list of types separated by ':', the first one
 *   varying fastest, e.g. `indexes=numa:core` deals ids to the nodes in turn, then to the cores
 *   of each node, then to the threads: each type counts inside the next outer type of the list,
 *   and types not listed vary slowest. Or hwloc's loops `step*count`. Or a list
 *   `indexes=0,2,1,3` with one os id per cpu, holes allowed.
 * - `cap=c0,c1,..` capacities by core, repeated cyclically; `c*n` repeats one value n times.
 * - `dist=d00,d01,..` the node distance matrix row by row, or `dist=local,remote`; 1 .. 65535.
 * - `arch=` a name as uname writes it, x86_64 by default.
 * - `size=` and `memory=` are read over, and so is `l1:1`, as hwloc writes them.
 *
 * Words with '=' stand alone or inside parentheses after a level, each at most once; `indexes=`
 * in parentheses only after the last one, as hwloc numbers that level with them.
 * Anything else is refused with its position.
 * @param text NUL-terminated string
 * @param memory where to put the table, aligned for uint64_t; may be NULL to ask the size
 * @param size bytes at memory
 * @param topology filled; memory_needed is set also on ENOSPC
 * @param diag what was wrong and at which column, or NULL
 * @return OK; ENOSPC when size is too small (nothing written but memory_needed); EPARSE; ERANGE;
 *         EINVAL
 * @par Context any thread. O(length + cpus + nodes^2).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_synthetic(const char *text,
	void *memory, size_t size, struct sdpower_topology *topology, struct sdpower_diag *diag);

/**
 * Reads one file for #sdpower_topology_linux.
 * @param context sdpower_linux_source::context
 * @param path relative to the root of the file system, e.g. "sys/devices/system/cpu/online"
 * @param buffer where to put the content, not terminated
 * @param size bytes at buffer
 * @return bytes of the whole content (more than size: the reader asks again with a larger
 *         buffer or refuses), or SDPOWER_ENOENT when there is no such file, SDPOWER_EIO otherwise
 */
typedef int64_t sdpower_read_fn(void *context, const char *path, char *buffer, size_t size);

/** Bits of sdpower_linux_source::flags. */
enum sdpower_linux_flag {
	/**
	 * Read every cpu's files and compare them, instead of one or two per group: finds every
	 * contradiction, and costs about 13 files a cpu instead of 2. Packed text always does.
	 */
	SDPOWER_LINUX_EVERY_FILE = 1
};

/** Where Linux files come from. */
struct sdpower_linux_source {
	uint32_t struct_size;    /**< sizeof(struct sdpower_linux_source), set by the caller */
	/** #sdpower_arch, or #SDPOWER_ID_NONE to read it from "meta/arch" (default x86_64) */
	uint32_t arch;
	sdpower_read_fn *read;   /**< the callback */
	void *context;           /**< handed to read */
	/** mask over **os ids** the process may run on; NULL = read proc/self/status */
	const uint32_t *affinity;
	uint32_t affinity_words; /**< words of affinity */
	uint32_t flags;          /**< set of #sdpower_linux_flag; other bits must be 0 */
};

/**
 * Builds a table from the files of a Linux system (sysfs, cgroup v1 and v2, /proc/self).
 * Handles both naming generations (thread_siblings / core_cpus), lists and old hexadecimal
 * masks, missing files, offline cpus, nodes without cpus, overlapping node lists (a cpu stays
 * in its first node), and holes in ids; docs/POLICY.md says which file beats which.
 * @param source the callback and its context
 * @param memory where to put the table and scratch, aligned for uint64_t; may be NULL to ask the
 *         size
 * @param size bytes at memory
 * @param topology filled; memory_needed is set also on ENOSPC
 * @param diag what was wrong: file, field, position, both masks; also warnings with status OK; or
 *         NULL
 * @return OK (masks that overlap are noted in topology->overlapping and diag, not refused here);
 *         ENOSPC; EPARSE; ERANGE; EMPTY; EIO; EINVAL
 * @par Context any thread; calls source->read. O(files read).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_linux(
	const struct sdpower_linux_source *source, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag);

/**
 * Builds a table from a packed `.topo` text: lines `path<TAB>content`, content with \\n, \\t
 * and \\\\ escapes, '#' lines and empty lines skipped, no path twice. The files are then read as by
 * #sdpower_topology_linux; the affinity comes from proc/self/status when present. Text that
 * #sdpower_topology_write made is read back as it is.
 * @param text the text; need not be terminated; not changed
 * @param length bytes of text
 * @param memory where to put the table and scratch, aligned for uint64_t; may be NULL to ask the
 *         size
 * @param size bytes at memory
 * @param topology filled; memory_needed is set also on ENOSPC
 * @param diag as above, with the line number; or NULL
 * @return as #sdpower_topology_linux; ENOSYS for a saved table of a newer version
 * @par Context any thread. O(length).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_text(const char *text, size_t length,
	void *memory, size_t size, struct sdpower_topology *topology, struct sdpower_diag *diag);

/**
 * Saves a table as text that #sdpower_topology_text reads back to an equal table: a cache for
 * hosts that start often. A few bytes a cpu; no files of the machine are needed to load it.
 * The text carries a version; readers skip lines they do not know and refuse a version they
 * do not know with ENOSYS.
 * @par The format, version 1
 * One line a field, `sdpower/NAME<TAB>VALUES`; what has its default is left out. VALUES are
 * decimal, one blank between two; `-` is #SDPOWER_ID_NONE, `a*n` is a n times, and `a+n` counts
 * from a up to a+n-1. The names are
 * - version, first, and arch (as #sdpower_topology_synthetic writes it) and name, both as text;
 * - the fields of #sdpower_cpu_desc, one value for each cpu by number: os_id (never left out),
 *   core, smt, l2, cluster, llc, die, package, book, drawer, node, capacity, priority, flags.
 *   Left out means 0 for smt, node, priority and flags, 1024 for capacity, else `-`;
 * - nodes and distances (by rows), allowed (words of 32 cpus), overlapping and quota_milli, as
 *   in #sdpower_topology.
 * @param topology a table that passes #sdpower_topology_check
 * @param buffer where to put the text, not terminated; may be NULL to ask the length
 * @param size bytes at buffer
 * @param length bytes of the text, set also on ENOSPC
 * @param diag what was wrong, or NULL
 * @return OK; ENOSPC; EINVAL; what the check answers
 * @par Context any thread. O(cpus + nodes^2).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_write(const struct sdpower_topology *topology,
	char *buffer, size_t size, size_t *length, struct sdpower_diag *diag);

/** What a host sizes itself by; numbers count only usable (online and allowed) cpus. */
struct sdpower_topology_summary {
	uint32_t struct_size;  /**< sizeof, set by the caller */
	uint32_t usable_cpus;  /**< online and allowed */
	uint32_t cores;        /**< cores with a usable cpu */
	uint32_t packages;     /**< packages with a usable cpu */
	uint32_t threads_per_core_max; /**< most usable threads of one core */
	/** last-level caches with a usable cpu; where no cache is known, packages cut by nodes */
	uint32_t llc_groups;
	uint32_t nodes;        /**< nodes with a usable cpu; 1 without NUMA */
	uint32_t quota_milli;  /**< cpu-time limit in 1/1000 cpu, 0 = unlimited */
};

/**
 * Counts the parts of a machine.
 * @param topology a table that passes #sdpower_topology_check
 * @param summary filled
 * @return OK; EINVAL for a wrong struct_size or a table that does not pass the check
 * @par Context any thread. O(cpus x packages) on ordinary machines, no memory but 2 KiB of stack.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_topology_summarise(
	const struct sdpower_topology *topology, struct sdpower_topology_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
