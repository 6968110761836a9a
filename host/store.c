/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs' files: read line by line, appended to at a known place, made durable together. */
#define _GNU_SOURCE /* syncfs, pwritev */
#include "store.h"

#include "receiver_runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LOCK_NAME "lock"

/* Up to so many files are made durable one by one; more by one call for their filesystem. */
#define ONE_BY_ONE 4

#define READ_BYTES ((size_t)256 << 10)

void store_name(char name[STORE_NAME_MAX], uint64_t sid)
{
	snprintf(name, STORE_NAME_MAX, STORE_PATTERN, sid);
}

bool store_is_run(const char *name, uint64_t *sid)
{
	char again[STORE_NAME_MAX];

	if (sscanf(name, "%16" SCNx64, sid) != 1)
		return false;
	store_name(again, *sid);
	return strcmp(name, again) == 0;
}

int store_each(int dir, void (*run)(void *ctx, uint64_t sid), void *ctx)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t sid;

	if (!d) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((entry = readdir(d))) {
		if (store_is_run(entry->d_name, &sid))
			run(ctx, sid);
	}
	closedir(d);
	return 0;
}

static void count_run(void *ctx, uint64_t sid)
{
	(void)sid;
	++*(uint64_t *)ctx;
}

/* The folder is there, is ours alone, and its files are counted. */
bool store_open(struct store *s, const char *path, const char **what)
{
	*s = (struct store){ .dir = -1, .lock = -1 };
	*what = "make the folder";
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return false;
	*what = "open the folder";
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return false;
	*what = "lock the folder";
	s->lock = openat(s->dir, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0 || flock(s->lock, LOCK_EX | LOCK_NB) != 0)
		return false;
	*what = "list the folder";
	errno = store_each(s->dir, count_run, &s->runs);
	return errno == 0;
}

void store_close(struct store *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir >= 0)
		close(s->dir);
}

/* Reading */

/* Whole lines at the buffer's begin; returns their bytes. *bad: what follows is no line of the run.
 */
static size_t read_lines(const char *text, size_t bytes, uint64_t sid, struct kept *kept, bool *bad)
{
	size_t used = 0;

	while (!*bad) {
		const char *at = text + used, *newline = memchr(at, '\n', bytes - used);
		struct line line;

		if (!newline)
			break;
		if (!receiver_line(at, (size_t)(newline - at), sid, &line) ||
		    line.seq < kept->next) {
			*bad = true;
			break;
		}
		kept->summary.lost += line.seq - kept->next;
		summary_line(&kept->summary, &line);
		kept->next = line.seq + 1;
		used += (size_t)(newline - at) + 1;
	}
	return used;
}

/* Up to the end, or to what is not a line: longer than the buffer is none either. */
static int read_fd(int fd, uint64_t sid, struct kept *kept, char *buffer)
{
	size_t filled = 0;
	bool bad = false;

	while (!bad && filled < READ_BYTES) {
		ssize_t n = pread(fd, buffer + filled, READ_BYTES - filled,
				  (off_t)(kept->bytes + filled));
		size_t used;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			break;
		filled += (size_t)n;
		used = read_lines(buffer, filled, sid, kept, &bad);
		kept->bytes += used;
		filled -= used;
		memmove(buffer, buffer + used, filled);
	}
	return 0;
}

static int read_run(int fd, uint64_t sid, struct kept *kept)
{
	char *buffer = malloc(READ_BYTES);
	int error = buffer ? read_fd(fd, sid, kept, buffer) : ENOMEM;

	free(buffer);
	return error;
}

static int open_run(int dir, uint64_t sid, int flags)
{
	char name[STORE_NAME_MAX];

	store_name(name, sid);
	/* No link leads elsewhere, and no FIFO makes us wait. */
	return openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

int store_read(int dir, uint64_t sid, struct kept *kept)
{
	int fd = open_run(dir, sid, O_RDONLY), error;

	*kept = (struct kept){ .next = 0 };
	if (fd < 0)
		return errno;
	error = read_run(fd, sid, kept);
	close(fd);
	return error;
}

/* What is behind the last whole line goes; and what stays is durable from now on. */
static int settle(struct store *s, int fd, uint64_t sid, uint64_t bytes)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if ((uint64_t)status.st_size > bytes) {
		if (ftruncate(fd, (off_t)bytes) != 0)
			return errno;
		if (s->cut)
			s->cut(s->ctx, sid, (uint64_t)status.st_size - bytes);
	}
	return fsync(fd) == 0 && fsync(s->dir) == 0 ? 0 : errno;
}

static int find(void *ctx, uint64_t sid, struct kept *kept)
{
	struct store *s = ctx;
	int fd = open_run(s->dir, sid, O_RDWR), error;

	*kept = (struct kept){ .next = 0 };
	if (fd < 0)
		return errno;
	error = read_run(fd, sid, kept);
	if (!error)
		error = settle(s, fd, sid, kept->bytes);
	close(fd);
	return error;
}

/* Writing */

static int write_all(int fd, struct iovec *v, int count, uint64_t at)
{
	while (count) {
		ssize_t n = pwritev(fd, v, count, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		at += (uint64_t)n;
		while (count && (size_t)n >= v->iov_len) {
			n -= (ssize_t)v->iov_len;
			v++, count--;
		}
		if (count) {
			v->iov_base = (char *)v->iov_base + n;
			v->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static bool is_so_long(int fd, uint64_t bytes)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (uint64_t)status.st_size == bytes;
}

static int append(void *ctx, uint64_t sid, uint64_t at, const struct iovec *v, int count)
{
	struct store *s = ctx;
	int fd = open_run(s->dir, sid, O_WRONLY | (at ? 0 : O_CREAT)), error;
	struct iovec left[RECEIVER_STROKE];

	if (fd < 0)
		return errno;
	memcpy(left, v, (size_t)count * sizeof(*v));
	s->new_names |= at == 0;
	error = is_so_long(fd, at) ? write_all(fd, left, count, at) : ESTALE;
	close(fd);
	return error;
}

static int cut(void *ctx, uint64_t sid, uint64_t bytes)
{
	struct store *s = ctx;
	char name[STORE_NAME_MAX];
	struct stat status;
	int fd, error = 0;

	store_name(name, sid);
	if (!bytes)
		return unlinkat(s->dir, name, 0) == 0 || errno == ENOENT ? 0 : errno;
	fd = open_run(s->dir, sid, O_WRONLY);
	if (fd < 0)
		return errno;
	if (fstat(fd, &status) != 0 || (uint64_t)status.st_size < bytes)
		error = ESTALE;
	else if (ftruncate(fd, (off_t)bytes) != 0)
		error = errno;
	close(fd);
	return error;
}

static int sync_one(const struct store *s, uint64_t sid)
{
	int fd = open_run(s->dir, sid, O_WRONLY), error;

	if (fd < 0)
		return errno;
	error = fdatasync(fd) == 0 ? 0 : errno;
	close(fd);
	return error;
}

static int sync_runs(void *ctx, const uint64_t *sids, size_t count)
{
	struct store *s = ctx;
	int error = 0;

	if (count > ONE_BY_ONE)
		return syncfs(s->dir) == 0 ? 0 : errno;
	for (size_t i = 0; i < count && !error; i++)
		error = sync_one(s, sids[i]);
	if (!error && s->new_names)
		error = fsync(s->dir) == 0 ? 0 : errno;
	if (!error)
		s->new_names = false;
	return error;
}

struct receiver_store store_ops(struct store *s)
{
	return (struct receiver_store){
		.find = find, .append = append, .cut = cut, .sync = sync_runs, .ctx = s
	};
}
