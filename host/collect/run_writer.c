/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs' files: read line by line, appended to at a known offset, made durable together. */
#define _GNU_SOURCE /* syncfs, pwritev, O_DIRECTORY */
#include "run_writer.h"

#include "host/lib/monotonic.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Up to this number of files are synced one by one; more by one call for their filesystem. */
#define ONE_BY_ONE 4

#define FILES_LEFT 256

/* From one look at the disk to the next: others write to it, too. */
#define ROOM_NS (10000 * NS_PER_US)

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

bool run_writer_open(struct run_writer *w, const char *path, const char **what)
{
	*w = (struct run_writer){ .files_mutex = PTHREAD_MUTEX_INITIALIZER };
	if (!store_folder_open(&w->folder, path, what))
		return false;
	w->one_sync = syncfs_reports(w->folder.dir);
	*what = "allocate memory";
	return run_files_start(&w->files, files_max());
}

void run_writer_close(struct run_writer *w)
{
	run_files_free(&w->files);
	pthread_mutex_destroy(&w->files_mutex);
	store_folder_close(&w->folder);
}

/* Reading */

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
static int set_aside(const struct run_writer *w, int fd, uint64_t sid, uint64_t at, uint64_t end)
{
	char name[STORE_NAME_MAX];
	int to, error;

	store_cut_name(name, sid);
	to = openat(w->folder.dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		    0666);
	if (to < 0)
		return errno;
	error = lseek(to, 0, SEEK_END) < 0 ? errno : copy_to(fd, at, end, to);
	close(to);
	return error;
}

/* Cut what follows the last complete line. */
static int cut_end(struct run_writer *w, int fd, uint64_t sid, uint64_t bytes)
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
		error = set_aside(w, fd, sid, bytes, (uint64_t)status.st_size);
	if (error)
		return error;
	if (ftruncate(fd, (off_t)bytes) != 0)
		return errno;
	if (w->cut)
		w->cut(w->ctx, sid, (uint64_t)status.st_size - bytes, lines);
	return 0;
}

static int find(void *ctx, uint64_t sid, struct store_progress *kept)
{
	struct run_writer *w = ctx;
	int fd = store_open_run(w->folder.dir, sid, O_RDWR), error;

	*kept = (struct store_progress){ .next = 0 };
	if (fd < 0)
		return errno;
	/* After a failed write, the page cache may hold what the disk does not. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	error = store_read_open(fd, sid, kept, w->go_on, w->ctx);
	if (!error)
		error = cut_end(w, fd, sid, kept->bytes);
	close(fd);
	/* The process that created the file may have died before its name was durable. */
	w->new_names = true;
	return error;
}

static int head(void *ctx, uint64_t sid, struct summary *s)
{
	const struct run_writer *w = ctx;

	return store_read_head(w->folder.dir, sid, s);
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
static void close_kept(struct run_writer *w, uint64_t sid)
{
	pthread_mutex_lock(&w->files_mutex);
	run_files_close(&w->files, sid);
	pthread_mutex_unlock(&w->files_mutex);
}

void run_writer_close_files(struct run_writer *w)
{
	pthread_mutex_lock(&w->files_mutex);
	run_files_close_all(&w->files);
	pthread_mutex_unlock(&w->files_mutex);
}

static int keep_open_locked(struct run_writer *w, uint64_t sid, int flags)
{
	int fd = run_files_get(&w->files, sid);

	if (fd >= 0)
		return fd;
	fd = store_open_run(w->folder.dir, sid, flags);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		run_files_close_all(&w->files);
		fd = store_open_run(w->folder.dir, sid, flags);
	}
	if (fd >= 0)
		run_files_put(&w->files, sid, fd);
	return fd;
}

/* A descriptor for writing, owned by the table: only appending opens files. -1, with errno. */
static int keep_open(struct run_writer *w, uint64_t sid, int flags)
{
	int fd;

	pthread_mutex_lock(&w->files_mutex);
	fd = keep_open_locked(w, sid, flags);
	pthread_mutex_unlock(&w->files_mutex);
	return fd;
}

/* A filesystem without a size, or whose size is not known, has room for all. */
uint64_t run_writer_room(const struct run_writer *w)
{
	struct statvfs disk;
	uint64_t room, kept;

	if (fstatvfs(w->folder.dir, &disk) != 0 || !disk.f_blocks)
		return UINT64_MAX;
	room = disk.f_bavail * disk.f_frsize;
	kept = disk.f_blocks * disk.f_frsize / 100 * w->limits.free_percent;
	kept = arith_min(kept, RUN_WRITER_FREE_MOST);
	return room > kept ? room - kept : 0;
}

/* One commit at a time appends. */
static int take_room(struct run_writer *w, uint64_t at, uint64_t bytes)
{
	uint64_t now = monotonic_ns();

	if (w->limits.run_bytes && at + bytes > w->limits.run_bytes)
		return EDQUOT;
	if (!w->limits.free_percent)
		return 0;
	if (!w->asked_ns || now - w->asked_ns >= ROOM_NS) {
		w->room = run_writer_room(w);
		w->asked_ns = now;
	}
	if (bytes > w->room)
		return ENOSPC;
	w->room -= bytes;
	return 0;
}

static uint64_t bytes_of(const struct iovec *v, int count)
{
	uint64_t bytes = 0;

	for (int i = 0; i < count; i++)
		bytes += v[i].iov_len;
	return bytes;
}

static int append(void *ctx, uint64_t sid, uint64_t at, const struct iovec *v, int count)
{
	struct run_writer *w = ctx;
	int error = take_room(w, at, bytes_of(v, count)), fd;
	struct iovec left[RECEIVER_WRITEV_MAX];

	if (error)
		return error;
	fd = keep_open(w, sid, O_WRONLY | (at ? 0 : O_CREAT));
	if (fd < 0)
		return errno;
	memcpy(left, v, (size_t)count * sizeof(*v));
	if (!at)
		w->new_names = true;
	error = is_as_left(fd, at) ? write_all(fd, left, count, at) : ESTALE;
	if (error)
		close_kept(w, sid);
	return error;
}

int run_writer_remove(struct run_writer *w, uint64_t sid)
{
	char name[STORE_NAME_MAX];

	close_kept(w, sid);
	store_cut_name(name, sid);
	if (unlinkat(w->folder.dir, name, 0) != 0 && errno != ENOENT)
		return errno;
	store_name(name, sid);
	return unlinkat(w->folder.dir, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

static int cut(void *ctx, uint64_t sid, uint64_t bytes)
{
	struct run_writer *w = ctx;
	char name[STORE_NAME_MAX];
	struct stat status;
	int fd, error = 0;

	close_kept(w, sid);
	store_name(name, sid);
	if (!bytes)
		return unlinkat(w->folder.dir, name, 0) == 0 || errno == ENOENT ? 0 : errno;
	fd = store_open_run(w->folder.dir, sid, O_WRONLY);
	if (fd < 0)
		return errno;
	if (fstat(fd, &status) != 0 || (uint64_t)status.st_size < bytes)
		error = ESTALE;
	else if (ftruncate(fd, (off_t)bytes) != 0)
		error = errno;
	close(fd);
	return error;
}

static int sync_one(struct run_writer *w, uint64_t sid)
{
	int fd, error;

	/* The descriptor used for writing, as that one reports failed writes. */
	pthread_mutex_lock(&w->files_mutex);
	fd = run_files_get(&w->files, sid);
	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&w->files_mutex);
	if (fd < 0)
		fd = store_open_run(w->folder.dir, sid, O_WRONLY);
	if (fd < 0)
		return errno;
	error = fdatasync(fd) == 0 ? 0 : errno;
	close(fd);
	return error;
}

static int sync_runs(void *ctx, const uint64_t *sids, size_t count, int *errors)
{
	struct run_writer *w = ctx;
	int error = 0;

	if (count > ONE_BY_ONE) {
		if (syncfs(w->folder.dir) != 0)
			return errno;
		if (w->one_sync)
			return 0;
	}
	/* One bad file does not keep the others waiting. */
	for (size_t i = 0; i < count; i++)
		errors[i] = sync_one(w, sids[i]);
	/* A name created during this sync counts for the next. */
	if (atomic_exchange(&w->new_names, false) && fsync(w->folder.dir) != 0) {
		error = errno;
		w->new_names = true;
	}
	return error;
}

struct receiver_store run_writer_ops(struct run_writer *w)
{
	return (struct receiver_store){ .find = find,
					.head = head,
					.append = append,
					.cut = cut,
					.sync = sync_runs,
					.ctx = w };
}
