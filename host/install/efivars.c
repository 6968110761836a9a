/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as files. */
#include "efivars.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PATH_MAX_BYTES  4096
#define ATTRIBUTE_BYTES 4
#define GLOBAL_GUID     "8be4df61-93ca-11d2-aa0d-00e098032b8c" /* UEFI 2.10, 3.3 */

static bool path_of(char path[PATH_MAX_BYTES], const char *folder, unsigned n)
{
	int bytes = snprintf(path, PATH_MAX_BYTES, "%s/" COMPACT_NAME "%u-" COMPACT_GUID, folder,
			     n);

	return bytes > 0 && bytes < PATH_MAX_BYTES;
}

bool efivars_any(const char *folder)
{
	char path[PATH_MAX_BYTES];

	for (unsigned n = 0; n < SAVED_VARIABLES; n++)
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

/* A variable of the specification's own: the bytes, without the attributes; 0: not there. */
static size_t read_global(const char *folder, const char *name, uint8_t *out, size_t cap)
{
	uint8_t buffer[EFIVARS_BYTES_MAX + 1];
	char path[PATH_MAX_BYTES];
	ssize_t count;

	snprintf(path, sizeof(path), "%s/%s-" GLOBAL_GUID, folder, name);
	count = read_file(path, buffer, sizeof(buffer));
	if (count <= ATTRIBUTE_BYTES || (size_t)count - ATTRIBUTE_BYTES > cap)
		return 0;
	memcpy(out, buffer + ATTRIBUTE_BYTES, (size_t)count - ATTRIBUTE_BYTES);
	return (size_t)count - ATTRIBUTE_BYTES;
}

size_t efivars_boot_entry(const char *folder, int number, uint8_t *out, size_t cap)
{
	char name[16];

	snprintf(name, sizeof(name), "Boot%04X", (unsigned)number & 0xffff);
	return read_global(folder, name, out, cap);
}

bool efivars_secure_boot(const char *folder)
{
	uint8_t on;

	return read_global(folder, "SecureBoot", &on, sizeof(on)) == 1 && on == 1;
}

struct folder {
	const char *name;
	unsigned part; /* at which there was an error */
	int error;     /* errno */
};

static enum saved_status get(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes)
{
	static uint8_t buffer[EFIVARS_BYTES_MAX + 1];
	struct folder *f = ctx;
	char path[PATH_MAX_BYTES];
	ssize_t count = -1;

	errno = ENAMETOOLONG;
	if (path_of(path, f->name, n))
		count = read_file(path, buffer, sizeof(buffer));
	if (count < 0 && errno == ENOENT)
		return SAVED_NONE;
	if (count < 0 && !f->error) {
		f->error = errno;
		f->part = n;
	}
	if (count < ATTRIBUTE_BYTES || (size_t)count - ATTRIBUTE_BYTES > cap)
		return SAVED_REFUSED;
	*bytes = (size_t)count - ATTRIBUTE_BYTES;
	memcpy(value, buffer + ATTRIBUTE_BYTES, *bytes);
	return SAVED_OK;
}

enum compact_state efivars_read(const char *folder, uint8_t *out, size_t *bytes, unsigned *part,
				int *error)
{
	static uint8_t buffer[EFIVARS_BYTES_MAX];
	struct folder f = { .name = folder };
	const struct saved_variables variables = { .get = get, .ctx = &f };
	enum compact_state state;

	state = saved_read(&variables, out, buffer, sizeof(buffer), bytes);
	/* What cannot be read matters where nothing else is whole. */
	*error = state == COMPACT_OK ? 0 : f.error;
	*part = f.part;
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

	for (unsigned n = 0; n < SAVED_VARIABLES; n++) {
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
