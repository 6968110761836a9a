/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the files of /proc, /sys and tracefs. A file of its own: a test that acts
 * out a kernel replaces it.
 */
#include "system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool system_path(char path[SYSTEM_PATH_MAX], const char *root, const char *name)
{
	int n = snprintf(path, SYSTEM_PATH_MAX, "%s/%s", root, name);

	return n > 0 && n < SYSTEM_PATH_MAX;
}

/* Until the end: such files give as much as they like at a time. */
static int read_all(int fd, char *text, size_t cap, size_t *used)
{
	ssize_t n;

	while ((n = read(fd, text + *used, cap - *used)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		*used += (size_t)n;
		if (*used == cap)
			return EFBIG;
	}
	while (*used && text[*used - 1] == '\n')
		--*used;
	return 0;
}

int system_read_open(int fd, char *text, size_t cap)
{
	size_t used = 0;
	int error = read_all(fd, text, cap, &used);

	text[error ? 0 : used] = '\0';
	return error;
}

int system_read(const char *root, const char *name, char *text, size_t cap)
{
	char path[SYSTEM_PATH_MAX];
	int fd, error;

	text[0] = '\0';
	if (!system_path(path, root, name))
		return ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	error = system_read_open(fd, text, cap);
	close(fd);
	return error;
}

int system_write(const char *root, const char *name, const char *text)
{
	char path[SYSTEM_PATH_MAX];
	size_t bytes = strlen(text);
	int fd, error = 0;
	ssize_t n;

	if (!system_path(path, root, name))
		return ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return errno;
	do {
		n = write(fd, text, bytes);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		error = errno;
	else if ((size_t)n != bytes)
		error = EIO;
	if (close(fd) != 0 && !error)
		error = errno;
	return error;
}

int system_make(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX];

	if (!system_path(path, root, name))
		return ENAMETOOLONG;
	return mkdir(path, 0700) == 0 ? 0 : errno;
}

int system_remove(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX];

	if (!system_path(path, root, name))
		return ENAMETOOLONG;
	return rmdir(path) == 0 ? 0 : errno;
}
