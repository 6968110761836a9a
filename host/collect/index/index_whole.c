/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks and times. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "index_whole.h"

#include "host/store/folder.h"
#include "host/store/index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is written last may have the time of the folder by chance. */
#define BEFORE_S 86400

static struct flock first_byte(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };
}

void index_whole_claim(int lock, bool is_whole)
{
	struct flock l = first_byte(is_whole ? F_WRLCK : F_UNLCK);

	/* Without it, who reads lists the folder. */
	(void)fcntl(lock, F_OFD_SETLK, &l);
}

void index_whole_mark(int dir)
{
	struct stat status;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	if (fstat(dir, &status) != 0)
		return;
	times[1] = status.st_mtim;
	times[1].tv_sec -= BEFORE_S;
	(void)utimensat(dir, INDEX_NAME, times, AT_SYMLINK_NOFOLLOW);
}

static bool is_claimed(int dir)
{
	int fd = openat(dir, STORE_LOCK_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct flock l = first_byte(F_RDLCK);
	bool claimed;

	if (fd < 0)
		return false;
	claimed = fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type == F_WRLCK;
	close(fd);
	return claimed;
}

static bool is_marked(int dir)
{
	struct stat folder, index, log;

	return fstat(dir, &folder) == 0 &&
	       fstatat(dir, INDEX_NAME, &index, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstatat(dir, INDEX_NAME "-wal", &log, AT_SYMLINK_NOFOLLOW) != 0 &&
	       index.st_mtim.tv_sec == folder.st_mtim.tv_sec - BEFORE_S &&
	       index.st_mtim.tv_nsec == folder.st_mtim.tv_nsec;
}

enum index_whole index_whole_is(int dir)
{
	return is_claimed(dir)  ? INDEX_WHOLE_CLAIMED
	       : is_marked(dir) ? INDEX_WHOLE_MARKED
				: INDEX_WHOLE_NOT;
}
