/* SPDX-License-Identifier: MIT */
/*
 * Finds the control groups of this process: which hierarchies are mounted where
 * (proc/self/mountinfo, else proc/mounts), and our place in them (proc/self/cgroup, else
 * proc/self/cpuset). linux_limits.c reads what they limit.
 */
#include <string.h>
#include "linux.h"

/* A line of mounts, cut to what matters. */
struct mount {
	struct sdpower_i_scan root;    /* part of the hierarchy that is mounted; empty = all */
	struct sdpower_i_scan point;
	struct sdpower_i_scan type;
	struct sdpower_i_scan options;
};

static size_t length_of(const struct sdpower_i_scan *s)
{
	return (size_t)(s->end - s->at);
}

/* Whether a comma list names a word. */
static int names(struct sdpower_i_scan list, const char *word)
{
	struct sdpower_i_scan piece;

	while (sdpower_i_scan_cut(&list, ',', &piece))
		if (sdpower_i_scan_is(&piece, word))
			return 1;
	return 0;
}

/* Appends text to a directory without double slashes; too long a path is no path. */
static int append(struct sdpower_i_cgroup *g, uint32_t *length, struct sdpower_i_scan text)
{
	while (text.at < text.end) {
		char c = *text.at++;

		if (c == '/' && (*length == 0 || g->directory[*length - 1u] == '/'))
			continue;
		if (c == '\\' && length_of(&text) >= 3u && text.at[0] >= '0' && text.at[0] <= '3') {
			c = (char)((text.at[0] - '0') * 64 + (text.at[1] - '0') * 8 + (text.at[2] - '0'));
			text.at += 3;
		}
		if (*length + 2u >= SDPOWER_I_PATH)
			return 0;
		g->directory[(*length)++] = c;
	}
	g->directory[*length] = '\0';
	return 1;
}

/* id parent major:minor root point options [fields] - type source options */
static int parse_mountinfo(struct sdpower_i_scan line, struct mount *m)
{
	struct sdpower_i_scan piece;

	for (int i = 0; i < 3; i++)
		if (!sdpower_i_scan_cut(&line, ' ', &piece))
			return 0;
	if (!sdpower_i_scan_cut(&line, ' ', &m->root) || !sdpower_i_scan_cut(&line, ' ', &m->point))
		return 0;
	do {
		if (!sdpower_i_scan_cut(&line, ' ', &piece))
			return 0;
	} while (!sdpower_i_scan_is(&piece, "-"));
	return sdpower_i_scan_cut(&line, ' ', &m->type) && sdpower_i_scan_cut(&line, ' ', &piece) &&
		sdpower_i_scan_cut(&line, ' ', &m->options);
}

/* source point type options dump pass */
static int parse_mount(struct sdpower_i_scan line, struct mount *m)
{
	struct sdpower_i_scan piece;

	m->root = sdpower_i_scan_over("", 0);
	return sdpower_i_scan_cut(&line, ' ', &piece) && sdpower_i_scan_cut(&line, ' ', &m->point) &&
		sdpower_i_scan_cut(&line, ' ', &m->type) && sdpower_i_scan_cut(&line, ' ', &m->options);
}

/* The mount's root is kept behind the mount point until our path is known. */
static void store_mount(struct sdpower_i_cgroup *g, const struct mount *m)
{
	uint32_t length = 0;

	if (g->found || !append(g, &length, m->point))
		return;
	if (length && g->directory[length - 1u] == '/')
		g->directory[--length] = '\0';
	g->mount_length = length;
	if (length + 1u + length_of(&m->root) + 1u >= SDPOWER_I_PATH)
		return;
	memcpy(g->directory + length + 1u, m->root.at, length_of(&m->root));
	g->directory[length + 1u + length_of(&m->root)] = '\0';
	g->found = 1;
}

static void note_mount(struct sdpower_i_cgroup *groups, const struct mount *m)
{
	if (sdpower_i_scan_is(&m->type, "cgroup2"))
		store_mount(&groups[SDPOWER_I_V2], m);
	else if (sdpower_i_scan_is(&m->type, "cpuset"))
		store_mount(&groups[SDPOWER_I_CPUSET], m);
	else if (!sdpower_i_scan_is(&m->type, "cgroup"))
		return;
	else if (names(m->options, "cpuset"))
		store_mount(&groups[SDPOWER_I_CPUSET], m);
	if (sdpower_i_scan_is(&m->type, "cgroup") && names(m->options, "cpu"))
		store_mount(&groups[SDPOWER_I_CPU], m);
}

static sdpower_status read_mounts(struct sdpower_i_linux *l, const char *file,
	int (*parse)(struct sdpower_i_scan, struct mount *))
{
	struct sdpower_i_scan content, line;
	struct mount m;
	sdpower_status status;

	sdpower_i_linux_path(l, file);
	status = sdpower_i_linux_read(l, &content);
	while (status == SDPOWER_OK && sdpower_i_scan_cut(&content, '\n', &line))
		if (parse(line, &m))
			note_mount(l->groups, &m);
	return status;
}

/* Where the usual distribution mounts them, for systems that hide their mounts. */
static void assume_mounts(struct sdpower_i_cgroup *groups)
{
	static const char *const points[] = { "sys/fs/cgroup/cpuset", "sys/fs/cgroup/cpu", "sys/fs/cgroup" };
	static const uint32_t lengths[] = { 20, 17, 13 };

	for (uint32_t i = 0; i < SDPOWER_I_HIERARCHIES; i++) {
		memset(groups[i].directory, 0, sizeof(groups[i].directory));
		memcpy(groups[i].directory, points[i], lengths[i]);
		groups[i].mount_length = lengths[i];
		groups[i].found = 1;
	}
}

/*
 * Completes a directory with our path. Below a mount whose root is not the hierarchy's root
 * only the rest of the path is visible; a path outside it shows as the mount point itself.
 */
static void enter(struct sdpower_i_cgroup *g, struct sdpower_i_scan path)
{
	uint32_t length = g->mount_length;
	char *root = g->directory + length + 1u;

	if (root[0] == '/' && root[1] == '\0')
		root[0] = '\0';
	if (!sdpower_i_scan_word(&path, root) || (root[0] && path.at < path.end && *path.at != '/'))
		path.at = path.end;
	g->directory[length] = '\0';
	if (path.at + 2 < path.end && path.at[1] == '.' && path.at[2] == '.')
		path.at = path.end;
	if (path.at < path.end && !append(g, &length, path))
		length = g->mount_length;
	while (length > g->mount_length && g->directory[length - 1u] == '/')
		length--;
	g->directory[length] = '\0';
	g->found = 2;
}

static void enter_line(struct sdpower_i_cgroup *groups, struct sdpower_i_scan line)
{
	struct sdpower_i_scan number, controllers, path = line;

	if (!sdpower_i_scan_cut(&path, ':', &number) || !sdpower_i_scan_cut(&path, ':', &controllers))
		return;
	if (groups[SDPOWER_I_V2].found == 1 && sdpower_i_scan_is(&number, "0") &&
			controllers.at == controllers.end)
		enter(&groups[SDPOWER_I_V2], path);
	if (groups[SDPOWER_I_CPUSET].found == 1 && names(controllers, "cpuset"))
		enter(&groups[SDPOWER_I_CPUSET], path);
	if (groups[SDPOWER_I_CPU].found == 1 && names(controllers, "cpu"))
		enter(&groups[SDPOWER_I_CPU], path);
}

static sdpower_status find_places(struct sdpower_i_linux *l)
{
	struct sdpower_i_cgroup *groups = l->groups;
	struct sdpower_i_scan content, line;
	sdpower_status status;

	sdpower_i_linux_path(l, "proc/self/cgroup");
	status = sdpower_i_linux_read(l, &content);
	while (status == SDPOWER_OK && sdpower_i_scan_cut(&content, '\n', &line))
		enter_line(groups, line);
	if (status != SDPOWER_OK && status != SDPOWER_ENOENT)
		return status;
	if (groups[SDPOWER_I_CPUSET].found == 2 || groups[SDPOWER_I_V2].found == 2)
		return SDPOWER_OK;
	sdpower_i_linux_path(l, "proc/self/cpuset");
	status = sdpower_i_linux_read(l, &content);
	if (status != SDPOWER_OK || content.at == content.end)
		return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
	if (groups[SDPOWER_I_CPUSET].found == 1)
		enter(&groups[SDPOWER_I_CPUSET], content);
	else if (groups[SDPOWER_I_V2].found == 1)
		enter(&groups[SDPOWER_I_V2], content);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_find_cgroups(struct sdpower_i_linux *l)
{
	sdpower_status status;

	memset(l->groups, 0, sizeof(*l->groups) * SDPOWER_I_HIERARCHIES);
	status = read_mounts(l, "proc/self/mountinfo", parse_mountinfo);
	if (status == SDPOWER_ENOENT)
		status = read_mounts(l, "proc/mounts", parse_mount);
	if (status == SDPOWER_ENOENT) {
		assume_mounts(l->groups);
		status = SDPOWER_OK;
	}
	return status == SDPOWER_OK ? find_places(l) : status;
}
