/* SPDX-License-Identifier: MIT */
/**
 * @file hosted.h
 * @brief Conveniences for hosts with an operating system: files and malloc.
 *
 * A library of its own, sdpower_hosted, on top of the core. It reads the running machine,
 * saved machines and synthetic strings into memory that it allocates, so that a host needs
 * one call instead of a callback, a block and a loop. Nothing here is kept in globals; loads
 * may run in several threads at once.
 *
 * Reading the machine takes milliseconds on large ones. Hosts that start often save the table
 * once with #sdpower_hosted_topology_save and load the file afterwards.
 */
#ifndef SDPOWER_HOSTED_H
#define SDPOWER_HOSTED_H

#include "topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads a machine from its files.
 * @param root where its file system is; NULL or "/" = the machine we run on, whose affinity then
 *        comes from the operating system and whose arch is that of this build. Below any other
 *        root both come from files (proc/self/status, meta/arch).
 * @param flags set of #sdpower_linux_flag
 * @param out the table; the caller frees it with #sdpower_hosted_topology_free. NULL on failure
 * @param diag what was wrong, or warnings with status OK; or NULL
 * @return as #sdpower_topology_linux, never ENOSPC unless memory runs out; ENOENT when root is not
 *         a
 *         directory
 * @par Context any thread. Reads 2 to 4 files a cpu, or about 13 with #SDPOWER_LINUX_EVERY_FILE.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_hosted_topology(const char *root, uint32_t flags,
	struct sdpower_topology **out, struct sdpower_diag *diag);

/**
 * Loads a `.topo` file: a recorded machine, or one saved by #sdpower_hosted_topology_save.
 * @param path the file
 * @param out the table; the caller frees it with #sdpower_hosted_topology_free. NULL on failure
 * @param diag what was wrong, with the line; or NULL
 * @return as #sdpower_topology_text, never ENOSPC unless memory runs out; ENOENT when there is no
 *         such
 *         file; EIO when reading fails
 * @par Context any thread. One file.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_hosted_topology_load(const char *path,
	struct sdpower_topology **out, struct sdpower_diag *diag);

/**
 * Builds a machine from a synthetic string, see #sdpower_topology_synthetic.
 * @param text the string
 * @param out the table; the caller frees it with #sdpower_hosted_topology_free. NULL on failure
 * @param diag what was wrong, with the column; or NULL
 * @return as #sdpower_topology_synthetic, never ENOSPC unless memory runs out
 * @par Context any thread. No files.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_hosted_topology_synthetic(const char *text,
	struct sdpower_topology **out, struct sdpower_diag *diag);

/**
 * Saves a table, so that #sdpower_hosted_topology_load gives an equal one. The file is written
 * beside its place and renamed: readers see the old one or the new one.
 * @param topology a table that passes #sdpower_topology_check
 * @param path the file
 * @param diag what was wrong, or NULL
 * @return OK; EIO when writing fails; ENOSPC when memory runs out; what the check answers
 * @par Context any thread. One file.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_hosted_topology_save(
	const struct sdpower_topology *topology, const char *path, struct sdpower_diag *diag);

/**
 * Gives a table back.
 * @param topology from one of the calls above, or NULL
 * @par Context any thread.
 */
SDPOWER_API void sdpower_hosted_topology_free(struct sdpower_topology *topology);

#ifdef __cplusplus
}
#endif
#endif
