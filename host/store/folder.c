/* SPDX-License-Identifier: BSD-2-Clause */
/* Made if missing, and locked with flock(2), which ends with the process. */
#define _GNU_SOURCE /* O_DIRECTORY, O_NOFOLLOW */
#include "folder.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int fsync_at(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	error = fsync(fd) == 0 ? 0 : errno;
	close(fd);
	return error;
}

static void count_run(void *ctx, uint64_t sid)
{
	(void)sid;
	++*(uint64_t *)ctx;
}

/* A new folder becomes durable with its parent. */
static bool make_folder(const char *path)
{
	int fd, error;

	if (mkdir(path, 0777) != 0)
		return errno == EEXIST;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	error = fsync_at(fd, "..");
	close(fd);
	errno = error;
	return !error;
}

/* Make, lock and list the folder. */
bool store_folder_open(struct store_folder *f, const char *path, const char **what)
{
	*f = (struct store_folder){ .dir = -1, .lock = -1 };
	*what = "make the folder";
	if (!make_folder(path))
		return false;
	*what = "open the folder";
	f->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dir < 0)
		return false;
	*what = "lock the folder";
	f->lock = openat(f->dir, STORE_LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (f->lock < 0 || flock(f->lock, LOCK_EX | LOCK_NB) != 0)
		return false;
	*what = "list the folder";
	errno = store_each(f->dir, count_run, &f->runs);
	return errno == 0;
}

void store_folder_close(struct store_folder *f)
{
	if (f->lock >= 0)
		close(f->lock);
	if (f->dir >= 0)
		close(f->dir);
}
