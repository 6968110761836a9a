/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to the files of /proc and /sys. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
