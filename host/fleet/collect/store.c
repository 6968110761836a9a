/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs' files: read line by line, appended to at a known offset, made durable together. */
#define _GNU_SOURCE /* syncfs, pwritev, O_DIRECTORY */
#include "store.h"

#include "receiver_runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOCK_NAME "lock"

/* Up to this number of files are synced one by one; more by one call for their filesystem. */
#define ONE_BY_ONE 4

#define READ_BYTES ((size_t)256 << 10)
#define FILES_LEFT 256

void store_name(char name[STORE_NAME_MAX], uint64_t sid)
{
	snprintf(name, STORE_NAME_MAX, STORE_PATTERN, sid);
}

void store_cut_name(char name[STORE_NAME_MAX], uint64_t sid)
{
	snprintf(name, STORE_NAME_MAX, "%016" PRIx64 ".cut", sid);
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

/*
 * syncfs(2) reports failed writes since Linux 5.8, and only for the filesystem that it is called
 * for: not through overlays and networks.
 */
static bool syncfs_reports(int dir)
{
	static const unsigned long kinds[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
					       F2FS_SUPER_MAGIC, TMPFS_MAGIC };
	unsigned major, minor;
	struct utsname kernel;
	struct statfs fs;

	if (uname(&kernel) != 0 || sscanf(kernel.release, "%u.%u", &major, &minor) != 2 ||
	    major < 5 || (major == 5 && minor < 8) || fstatfs(dir, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if ((unsigned long)fs.f_type == kinds[i])
			return true;
	}
	return false;
}

/* The number of runs' files that may be open besides all others. */
static size_t files_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 2 * FILES_LEFT)
		return FILES_LEFT;
	return limit.rlim_cur - FILES_LEFT;
}

/* Make, lock and list the folder. */
bool store_open(struct store *s, const char *path, const char **what)
{
	*s = (struct store){ .dir = -1, .lock = -1, .files_mutex = PTHREAD_MUTEX_INITIALIZER };
	*what = "make the folder";
	if (!make_folder(path))
		return false;
	*what = "allocate memory";
	if (!run_files_start(&s->files, files_max()))
		return false;
	*what = "open the folder";
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return false;
	*what = "lock the folder";
	s->lock = openat(s->dir, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (s->lock < 0 || flock(s->lock, LOCK_EX | LOCK_NB) != 0)
		return false;
	s->one_sync = syncfs_reports(s->dir);
	*what = "list the folder";
	errno = store_each(s->dir, count_run, &s->runs);
	return errno == 0;
}

void store_close(struct store *s)
{
	run_files_free(&s->files);
	pthread_mutex_destroy(&s->files_mutex);
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir >= 0)
		close(s->dir);
}

/* Reading */

/*
 * Complete lines at the start of the buffer; returns their bytes. *bad: what follows is not a line
 * of the run.
 */
static size_t read_lines(const char *text, size_t bytes, uint64_t sid, struct run_progress *kept,
			 bool *bad)
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

/* Up to the end, or to what is not a line; nor is anything longer than the buffer. */
static int read_fd(int fd, uint64_t sid, struct run_progress *kept, char *buffer)
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

static int read_run(int fd, uint64_t sid, struct run_progress *kept)
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
	/* Follow no link, and do not block on a FIFO. */
	return openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

int store_read(int dir, uint64_t sid, struct run_progress *kept)
{
	int fd = open_run(dir, sid, O_RDONLY), error;

	*kept = (struct run_progress){ .next = 0 };
	if (fd < 0)
		return errno;
	error = read_run(fd, sid, kept);
	close(fd);
	return error;
}

/* Is there a complete line of any kind from `at` on? */
static int has_line(int fd, uint64_t at, uint64_t end, bool *found)
{
	char part[4096];

	*found = false;
	while (at < end && !*found) {
		ssize_t n = pread(fd, part, sizeof(part), (off_t)at);

		if (n <= 0)
			return n < 0 ? errno : 0;
		*found = memchr(part, '\n', (size_t)n) != NULL;
		at += (uint64_t)n;
	}
	return 0;
}

static int copy_to(int fd, uint64_t at, uint64_t end, int to)
{
	off_t from = (off_t)at;

	while ((uint64_t)from < end) {
		ssize_t n = sendfile(to, fd, &from, end - (uint64_t)from);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0)
			return EIO;
	}
	return fsync(to) == 0 ? 0 : errno;
}

/* After what was set aside before. */
static int set_aside(const struct store *s, int fd, uint64_t sid, uint64_t at, uint64_t end)
{
	char name[STORE_NAME_MAX];
	int to, error;

	store_cut_name(name, sid);
	to = openat(s->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (to < 0)
		return errno;
	error = lseek(to, 0, SEEK_END) < 0 ? errno : copy_to(fd, at, end, to);
	close(to);
	return error;
}

/* Cut what follows the last complete line. */
static int cut_end(struct store *s, int fd, uint64_t sid, uint64_t bytes)
{
	struct stat status;
	bool lines;
	int error;

	if (fstat(fd, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if ((uint64_t)status.st_size <= bytes)
		return 0;
	error = has_line(fd, bytes, (uint64_t)status.st_size, &lines);
	if (!error && lines)
		error = set_aside(s, fd, sid, bytes, (uint64_t)status.st_size);
	if (error)
		return error;
	if (ftruncate(fd, (off_t)bytes) != 0)
		return errno;
	if (s->cut)
		s->cut(s->ctx, sid, (uint64_t)status.st_size - bytes, lines);
	return 0;
}

static int find(void *ctx, uint64_t sid, struct run_progress *kept)
{
	struct store *s = ctx;
	int fd = open_run(s->dir, sid, O_RDWR), error;

	*kept = (struct run_progress){ .next = 0 };
	if (fd < 0)
		return errno;
	/* After a failed write, the page cache may hold what the disk does not. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	error = read_run(fd, sid, kept);
	if (!error)
		error = cut_end(s, fd, sid, kept->bytes);
	close(fd);
	/* The process that created the file may have died before its name was durable. */
	s->new_names = true;
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

/* Unchanged: of that length, and still in the folder. */
static bool is_as_left(int fd, uint64_t bytes)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (uint64_t)status.st_size == bytes && status.st_nlink;
}

/* Other threads may close a run's file, but not while it is appended to. */
static void close_kept(struct store *s, uint64_t sid)
{
	pthread_mutex_lock(&s->files_mutex);
	run_files_close(&s->files, sid);
	pthread_mutex_unlock(&s->files_mutex);
}

void store_close_files(struct store *s)
{
	pthread_mutex_lock(&s->files_mutex);
	run_files_close_all(&s->files);
	pthread_mutex_unlock(&s->files_mutex);
}

static int keep_open_locked(struct store *s, uint64_t sid, int flags)
{
	int fd = run_files_get(&s->files, sid);

	if (fd >= 0)
		return fd;
	fd = open_run(s->dir, sid, flags);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		run_files_close_all(&s->files);
		fd = open_run(s->dir, sid, flags);
	}
	if (fd >= 0)
		run_files_put(&s->files, sid, fd);
	return fd;
}

/* A descriptor for writing, owned by the table: only appending opens files. -1, with errno. */
static int keep_open(struct store *s, uint64_t sid, int flags)
{
	int fd;

	pthread_mutex_lock(&s->files_mutex);
	fd = keep_open_locked(s, sid, flags);
	pthread_mutex_unlock(&s->files_mutex);
	return fd;
}

static int append(void *ctx, uint64_t sid, uint64_t at, const struct iovec *v, int count)
{
	struct store *s = ctx;
	int fd = keep_open(s, sid, O_WRONLY | (at ? 0 : O_CREAT)), error;
	struct iovec left[RECEIVER_STROKE];

	if (fd < 0)
		return errno;
	memcpy(left, v, (size_t)count * sizeof(*v));
	if (!at)
		s->new_names = true;
	error = is_as_left(fd, at) ? write_all(fd, left, count, at) : ESTALE;
	if (error)
		close_kept(s, sid);
	return error;
}

int store_remove(struct store *s, uint64_t sid)
{
	char name[STORE_NAME_MAX];

	close_kept(s, sid);
	store_cut_name(name, sid);
	if (unlinkat(s->dir, name, 0) != 0 && errno != ENOENT)
		return errno;
	store_name(name, sid);
	return unlinkat(s->dir, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

static int cut(void *ctx, uint64_t sid, uint64_t bytes)
{
	struct store *s = ctx;
	char name[STORE_NAME_MAX];
	struct stat status;
	int fd, error = 0;

	close_kept(s, sid);
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

static int sync_one(struct store *s, uint64_t sid)
{
	int fd, error;

	/* The descriptor used for writing, as that one reports failed writes. */
	pthread_mutex_lock(&s->files_mutex);
	fd = run_files_get(&s->files, sid);
	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&s->files_mutex);
	if (fd < 0)
		fd = open_run(s->dir, sid, O_WRONLY);
	if (fd < 0)
		return errno;
	error = fdatasync(fd) == 0 ? 0 : errno;
	close(fd);
	return error;
}

static int sync_runs(void *ctx, const uint64_t *sids, size_t count, int *errors)
{
	struct store *s = ctx;
	int error = 0;

	if (count > ONE_BY_ONE) {
		if (syncfs(s->dir) != 0)
			return errno;
		if (s->one_sync)
			return 0;
	}
	/* One bad file does not keep the others waiting. */
	for (size_t i = 0; i < count; i++)
		errors[i] = sync_one(s, sids[i]);
	/* A name created during this sync counts for the next. */
	if (atomic_exchange(&s->new_names, false) && fsync(s->dir) != 0) {
		error = errno;
		s->new_names = true;
	}
	return error;
}

struct receiver_store store_ops(struct store *s)
{
	return (struct receiver_store){
		.find = find, .append = append, .cut = cut, .sync = sync_runs, .ctx = s
	};
}
