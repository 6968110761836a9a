/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of Linux, and what they return. */
#include "linux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/rtc.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

int system_call_open(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX];

	if (system_path(path, root, name))
		return open(path, O_RDONLY | O_CLOEXEC);
	errno = ENAMETOOLONG;
	return -1;
}

int system_call_rtc(int fd)
{
	struct rtc_time time;

	return ioctl(fd, RTC_RD_TIME, &time) == 0 ? 0 : errno;
}

int system_call_read(int fd, void *to, size_t bytes, uint64_t at)
{
	ssize_t n = pread(fd, to, bytes, (off_t)at);

	if (n < 0)
		return errno;
	return (size_t)n == bytes ? 0 : ENODATA;
}

int system_call_read_some(int fd, void *to, size_t bytes)
{
	ssize_t n = pread(fd, to, bytes, 0);

	if (n < 0)
		return errno;
	return n ? 0 : ENOENT;
}

int system_call_statfs(int fd, struct system_call_fs *fs)
{
	struct statfs s;

	if (fstatfs(fd, &s) != 0)
		return errno;
	fs->is_efivarfs = s.f_type == EFIVARFS_MAGIC;
	fs->blocks = (uint64_t)s.f_blocks;
	return 0;
}

unsigned system_call_patience_s(void)
{
	return LINUX_SERVICES_CALL_S;
}

bool system_call_by_root(void)
{
	return getuid() == 0;
}
