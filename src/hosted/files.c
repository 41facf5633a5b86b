/* SPDX-License-Identifier: MIT */
/* Reads and writes files with the calls of POSIX. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"

/* The smallest page of any Linux. */
#define PAGE 4096

/* Fills the buffer as far as the file goes, or by one piece: bytes read, or -1. */
static ssize_t read_up_to(int file, char *buffer, size_t size, int one_piece)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t got = read(file, buffer + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EISDIR)
			return 0; /* a directory is asked for to see whether it is there */
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
		if (one_piece && got < PAGE)
			break;
	}
	return (ssize_t)done;
}

/*
 * Attributes in sysfs come whole in one read of a page; a second read only to see the end is
 * a third of the time of a load. Files in procfs come in pieces.
 */
static int comes_in_one_piece(const char *path)
{
	return strncmp(path, "sys/devices/", 12) == 0;
}

/* Bytes left in a file; st_size says nothing in sysfs and procfs. */
static int64_t count_rest(int file)
{
	char buffer[4096];
	int64_t rest = 0;
	ssize_t got;

	do {
		got = read_up_to(file, buffer, sizeof(buffer), 0);
		if (got < 0)
			return SDPOWER_EIO;
		rest += got;
	} while (got == (ssize_t)sizeof(buffer));
	return rest;
}

/* Kernels answer so for files that exist but hold nothing on this machine, or not for us. */
static int is_as_good_as_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
		error == ENODEV || error == ENXIO || error == ENAMETOOLONG || error == ELOOP;
}

int64_t sdpower_i_files_read(void *context, const char *path, char *buffer, size_t size)
{
	const struct sdpower_i_files *files = context;
	const int file = openat(files->root, path, O_RDONLY | O_CLOEXEC);
	int64_t total;
	ssize_t got;

	if (file < 0)
		return is_as_good_as_missing(errno) ? SDPOWER_ENOENT : SDPOWER_EIO;
	got = read_up_to(file, buffer, size, comes_in_one_piece(path));
	total = got;
	if (got < 0)
		total = is_as_good_as_missing(errno) ? SDPOWER_ENOENT : SDPOWER_EIO;
	else if ((size_t)got == size) {
		const int64_t rest = count_rest(file);

		total = rest < 0 ? rest : got + rest;
	}
	close(file);
	return total;
}

static sdpower_status read_whole(int file, char **text, size_t *length)
{
	struct stat info;
	char *memory;
	ssize_t got;

	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < 0)
		return SDPOWER_EIO;
	memory = malloc((size_t)info.st_size + 1u);
	if (!memory)
		return SDPOWER_ENOSPC;
	got = read_up_to(file, memory, (size_t)info.st_size, 0);
	if (got < 0) {
		free(memory);
		return SDPOWER_EIO;
	}
	*text = memory;
	*length = (size_t)got;
	return SDPOWER_OK;
}

sdpower_status sdpower_i_files_whole(const char *path, char **text, size_t *length)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	sdpower_status status;

	if (file < 0)
		return is_as_good_as_missing(errno) ? SDPOWER_ENOENT : SDPOWER_EIO;
	status = read_whole(file, text, length);
	close(file);
	return status;
}

static int write_all(int file, const char *text, size_t length)
{
	while (length) {
		const ssize_t put = write(file, text, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return 0;
		text += put;
		length -= (size_t)put;
	}
	return 1;
}

sdpower_status sdpower_i_files_replace(const char *path, const char *text, size_t length)
{
	static const char suffix[] = ".XXXXXX";
	const size_t name = strlen(path);
	char *temporary = malloc(name + sizeof(suffix));
	int file, good;

	if (!temporary)
		return SDPOWER_ENOSPC;
	memcpy(temporary, path, name);
	memcpy(temporary + name, suffix, sizeof(suffix));
	file = mkstemp(temporary);
	good = file >= 0 && write_all(file, text, length) && fchmod(file, 0644) == 0;
	if (file >= 0 && close(file) != 0)
		good = 0;
	if (good && rename(temporary, path) != 0)
		good = 0;
	if (file >= 0 && !good)
		unlink(temporary);
	free(temporary);
	return good ? SDPOWER_OK : SDPOWER_EIO;
}
