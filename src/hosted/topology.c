/* SPDX-License-Identifier: MIT */
/* Tables in memory from malloc: from the running machine, from files and from strings. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sdpower/hosted.h>
#include "affinity.h"
#include "files.h"
#include "message.h"

/* First guess of a block: most machines fit, a larger one is asked for once more. */
#define FIRST_BLOCK 32768u

/* A table and its block in one allocation. */
struct owner {
	struct sdpower_topology topology;
	uint64_t block[];
};

/* One way to fill a table. */
struct converter {
	sdpower_status (*convert)(const struct converter *c, void *memory, size_t size,
		struct sdpower_topology *topology, struct sdpower_diag *diag);
	const struct sdpower_linux_source *source;
	const char *text;
	size_t length;
};

static sdpower_status convert_linux(const struct converter *c, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	return sdpower_topology_linux(c->source, memory, size, topology, diag);
}

static sdpower_status convert_text(const struct converter *c, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	return sdpower_topology_text(c->text, c->length, memory, size, topology, diag);
}

static sdpower_status convert_synthetic(const struct converter *c, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	return sdpower_topology_synthetic(c->text, memory, size, topology, diag);
}

/* Grows the block until the converter is content; each answer of ENOSPC asks for more. */
static sdpower_status run(const struct converter *c, size_t size, struct sdpower_topology **out,
	struct sdpower_diag *diag)
{
	for (;;) {
		struct owner *owner = malloc(sizeof(*owner) + size);
		sdpower_status status;
		size_t wanted;

		if (!owner)
			return sdpower_i_message(diag, SDPOWER_ENOSPC, NULL, "no memory");
		memset(&owner->topology, 0, sizeof(owner->topology));
		owner->topology.struct_size = sizeof(owner->topology);
		status = c->convert(c, owner->block, size, &owner->topology, diag);
		wanted = owner->topology.memory_needed;
		if (status == SDPOWER_OK) {
			*out = &owner->topology;
			return SDPOWER_OK;
		}
		free(owner);
		if (status != SDPOWER_ENOSPC || wanted <= size)
			return status;
		size = wanted;
	}
}

static int is_this_machine(const char *root)
{
	return !root || strcmp(root, "/") == 0;
}

static sdpower_status read_machine(const char *root, int directory, uint32_t flags,
	struct sdpower_topology **out, struct sdpower_diag *diag)
{
	uint32_t affinity[SDPOWER_I_AFFINITY_WORDS];
	struct sdpower_i_files files = { directory };
	struct sdpower_linux_source source;
	const struct converter c = { convert_linux, &source, NULL, 0 };

	memset(&source, 0, sizeof(source));
	source.struct_size = sizeof(source);
	source.arch = SDPOWER_ID_NONE;
	source.read = sdpower_i_files_read;
	source.context = &files;
	source.flags = flags;
	if (is_this_machine(root)) {
		source.arch = sdpower_i_build_arch();
		if (sdpower_i_affinity(affinity)) {
			source.affinity = affinity;
			source.affinity_words = SDPOWER_I_AFFINITY_WORDS;
		}
	}
	return run(&c, FIRST_BLOCK, out, diag);
}

sdpower_status sdpower_hosted_topology(const char *root, uint32_t flags, struct sdpower_topology **out,
	struct sdpower_diag *diag)
{
	sdpower_status status;
	int directory;

	if (!out)
		return sdpower_i_message(diag, SDPOWER_EINVAL, NULL, "hosted: out is missing");
	*out = NULL;
	directory = open(root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return sdpower_i_message(diag, SDPOWER_ENOENT, root ? root : "/", "cannot be opened as a directory");
	status = read_machine(root, directory, flags, out, diag);
	close(directory);
	return status;
}

sdpower_status sdpower_hosted_topology_load(const char *path, struct sdpower_topology **out,
	struct sdpower_diag *diag)
{
	struct converter c = { convert_text, NULL, NULL, 0 };
	sdpower_status status;
	char *text = NULL;

	if (!path || !out)
		return sdpower_i_message(diag, SDPOWER_EINVAL, NULL, "hosted: path or out is missing");
	*out = NULL;
	status = sdpower_i_files_whole(path, &text, &c.length);
	if (status != SDPOWER_OK)
		return sdpower_i_message(diag, status, path, "cannot be read");
	c.text = text;
	status = run(&c, FIRST_BLOCK + c.length / 4u, out, diag);
	free(text);
	return status;
}

sdpower_status sdpower_hosted_topology_synthetic(const char *text, struct sdpower_topology **out,
	struct sdpower_diag *diag)
{
	const struct converter c = { convert_synthetic, NULL, text, 0 };

	if (!out)
		return sdpower_i_message(diag, SDPOWER_EINVAL, NULL, "hosted: out is missing");
	*out = NULL;
	return run(&c, FIRST_BLOCK, out, diag);
}

sdpower_status sdpower_hosted_topology_save(const struct sdpower_topology *topology, const char *path,
	struct sdpower_diag *diag)
{
	size_t length = 0;
	char *text;
	sdpower_status status;

	if (!path)
		return sdpower_i_message(diag, SDPOWER_EINVAL, NULL, "hosted: path is missing");
	status = sdpower_topology_write(topology, NULL, 0, &length, diag);
	if (status != SDPOWER_ENOSPC)
		return status;
	text = malloc(length);
	if (!text)
		return sdpower_i_message(diag, SDPOWER_ENOSPC, NULL, "no memory");
	status = sdpower_topology_write(topology, text, length, &length, diag);
	if (status == SDPOWER_OK)
		status = sdpower_i_files_replace(path, text, length);
	free(text);
	return status == SDPOWER_EIO ? sdpower_i_message(diag, status, path, "cannot be written") : status;
}

void sdpower_hosted_topology_free(struct sdpower_topology *topology)
{
	free(topology);
}
