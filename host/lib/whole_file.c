/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory. */
#include "whole_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES 65536u

static uint8_t *give_up(uint8_t *bytes, FILE *file, int error)
{
	free(bytes);
	fclose(file);
	errno = error;
	return NULL;
}

/* Reads on until the end, or until there are more than `most` bytes. NULL with errno: no memory. */
static uint8_t *read_up_to(FILE *file, size_t most, size_t *bytes)
{
	size_t room = 0, count = 0;
	uint8_t *all = NULL;

	do {
		uint8_t *more;

		room = room < most / 2 ? 2 * room + FIRST_BYTES : most + 1;
		more = realloc(all, room);
		if (!more) {
			free(all);
			errno = ENOMEM;
			return NULL;
		}
		all = more;
		count += fread(all + count, 1, room - count, file);
	} while (count == room && room <= most);
	*bytes = count;
	return all;
}

uint8_t *whole_file_read(const char *path, size_t most, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	uint8_t *all;

	if (!file)
		return NULL;
	errno = 0;
	all = read_up_to(file, most, bytes);
	if (!all)
		return give_up(all, file, errno);
	if (ferror(file))
		return give_up(all, file, errno ? errno : EIO);
	if (*bytes > most)
		return give_up(all, file, EFBIG);
	fclose(file);
	return all;
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
