/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as files. */
#include "efivars.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PATH_MAX_BYTES  4096
#define ATTRIBUTE_BYTES 4

static bool path_of(char path[PATH_MAX_BYTES], const char *folder, unsigned n)
{
	int bytes = snprintf(path, PATH_MAX_BYTES, "%s/" COMPACT_NAME "%u-" COMPACT_GUID, folder,
			     n);

	return bytes > 0 && bytes < PATH_MAX_BYTES;
}

bool efivars_any(const char *folder)
{
	char path[PATH_MAX_BYTES];

	for (unsigned n = 0; n < COMPACT_PARTS; n++)
		if (path_of(path, folder, n) && access(path, F_OK) == 0)
			return true;
	return false;
}

/* The whole file. The bytes, or -1 with errno; what is longer than a variable can be is EFBIG. */
static ssize_t read_file(const char *path, uint8_t *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	size_t used = 0;
	ssize_t count = fd < 0 ? -1 : 1;

	while (count > 0 && used < cap) {
		count = read(fd, out + used, cap - used);
		used += count > 0 ? (size_t)count : 0;
	}
	error = count < 0 ? errno : used == cap ? EFBIG : 0;
	if (fd >= 0)
		close(fd);
	errno = error;
	return error ? -1 : (ssize_t)used;
}

enum compact_state efivars_read(const char *folder, uint8_t *out, size_t *bytes, unsigned *part,
				int *error)
{
	static uint8_t buffer[EFIVARS_BYTES_MAX + 1];
	struct compact_join join = { .out = out, .cap = COMPACT_PARTS * EFIVARS_BYTES_MAX };
	enum compact_state state = COMPACT_OVER;
	char path[PATH_MAX_BYTES];

	*error = 0;
	for (*part = 0;; ++*part) {
		ssize_t count = -1;

		errno = ENAMETOOLONG;
		if (path_of(path, folder, *part))
			count = read_file(path, buffer, sizeof(buffer));
		if (count < 0) {
			*error = errno == ENOENT ? 0 : errno;
			break;
		}
		state = COMPACT_DAMAGED;
		if (count >= ATTRIBUTE_BYTES)
			state = compact_join(&join, buffer + ATTRIBUTE_BYTES,
					     (size_t)count - ATTRIBUTE_BYTES);
		if (state != COMPACT_CUT)
			break;
	}
	*bytes = join.used;
	return state;
}

/* Where the file system has no such flag, there is nothing to clear. */
static void make_mutable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), flags;

	if (fd < 0)
		return;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_IMMUTABLE_FL) {
		flags &= ~FS_IMMUTABLE_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
}

int efivars_remove(const char *folder)
{
	char path[PATH_MAX_BYTES];
	int error = 0;

	for (unsigned n = 0; n < COMPACT_PARTS; n++) {
		if (!path_of(path, folder, n))
			return ENAMETOOLONG;
		if (access(path, F_OK) != 0)
			continue;
		make_mutable(path);
		if (unlink(path) != 0 && !error)
			error = errno;
	}
	return error;
}
