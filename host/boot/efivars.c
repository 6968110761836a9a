/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables as files. */
#include "efivars.h"

#include "host/lib/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What is in the file, up to `cap` bytes without the attributes. False: it does not fit. */
static bool take_value(uint8_t *file, size_t bytes, void *out, size_t cap, size_t *taken)
{
	bool fits = bytes >= ATTRIBUTE_BYTES && bytes - ATTRIBUTE_BYTES <= cap;

	*taken = fits ? bytes - ATTRIBUTE_BYTES : 0;
	memcpy(out, file + (fits ? ATTRIBUTE_BYTES : 0), *taken);
	free(file);
	return fits;
}

bool efivars_secure_boot(const char *folder)
{
	char path[PATH_MAX_BYTES];
	size_t bytes = 0;
	uint8_t *file, on = 0;

	snprintf(path, sizeof(path), "%s/SecureBoot-" GLOBAL_GUID, folder);
	file = whole_file_read(path, EFIVARS_BYTES_MAX, &bytes);
	return file && take_value(file, bytes, &on, sizeof(on), &bytes) && on == 1;
}

struct folder {
	const char *name;
	unsigned part; /* at which there was an error */
	int error;     /* errno */
};

static enum saved_status get(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes)
{
	struct folder *f = ctx;
	char path[PATH_MAX_BYTES];
	uint8_t *file = NULL;

	errno = ENAMETOOLONG;
	if (path_of(path, f->name, n))
		file = whole_file_read(path, EFIVARS_BYTES_MAX, bytes);
	if (file)
		return take_value(file, *bytes, value, cap, bytes) ? SAVED_OK : SAVED_REFUSED;
	if (errno == ENOENT)
		return SAVED_NONE;
	if (!f->error) {
		f->error = errno;
		f->part = n;
	}
	return SAVED_REFUSED;
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
