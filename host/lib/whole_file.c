/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory. */
#include "whole_file.h"

#include "memory.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES 65536u

uint8_t *whole_file_take(whole_file_source *read, void *from, size_t most, size_t *bytes)
{
	size_t room = FIRST_BYTES, more;
	uint8_t *all = memory_new(room + 1, 1);

	*bytes = 0;
	while ((more = read(from, all + *bytes, room - *bytes))) {
		*bytes += more;
		if (*bytes < room || room > most)
			continue;
		room = room < most / 2 ? 2 * room : most + 1;
		all = memory_resize(all, room + 1);
	}
	all[*bytes] = '\0';
	return all;
}

static size_t read_file(void *from, void *to, size_t room)
{
	return fread(to, 1, room, from);
}

uint8_t *whole_file_read(const char *path, size_t most, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	uint8_t *all;
	int error;

	if (!file)
		return NULL;
	errno = 0;
	all = whole_file_take(read_file, file, most, bytes);
	error = ferror(file) ? errno ?: EIO : *bytes > most ? EFBIG : 0;
	fclose(file);
	if (!error)
		return all;
	free(all);
	errno = error;
	return NULL;
}

static bool is_there(char *path, const char *folder, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return access(path, R_OK) == 0;
}

bool whole_file_of_ours(char *path, const char *installed, const char *built)
{
	char own[PATH_MAX], *folder;
	ssize_t bytes = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[bytes > 0 ? bytes : 0] = '\0';
	folder = dirname(own);
	if (is_there(path, folder, installed) || is_there(path, folder, built))
		return true;
	snprintf(path, PATH_MAX, "%s/%s", folder, installed);
	return false;
}
