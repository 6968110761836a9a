/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slow or failing disk for one program, by LD_PRELOAD. From the environment:
 *
 *   BAD_DISK_MS=N     what makes durable takes so many ms longer
 *   BAD_DISK_EIO=N    the Nth such call fails and then one of N, after having done it or not,
 *                     in no period: commits of always N calls would each fail
 *   BAD_DISK_SHORT=N  every Nth write stops half way through, the next two fail: disk full
 *   BAD_DISK_LAST=N   the Nth removal or renaming of a file is the last thing the program does
 *   BAD_DISK_LOOK=F   while the file F is there, who looks for what was cut off a run waits
 *   BAD_DISK_REMOVE=F while it is there, each removal of a file takes 50 ms longer
 *   BAD_DISK_KILL=N   the Nth write stops half way through, and with it the program: kill -9
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static unsigned setting(const char *name)
{
	const char *value = getenv(name);

	return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

static void wait_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static void be_slow(void)
{
	unsigned ms = setting("BAD_DISK_MS");

	if (ms)
		wait_ms(ms);
}

static bool is_there(const char *name)
{
	const char *path = getenv(name);

	return path && access(path, F_OK) == 0;
}

/* Spreads the numbers of calls, the same each time: lowbias32 (C. Wellons, hash-prospector). */
static unsigned mix(unsigned n)
{
	n = (n ^ n >> 16) * 0x7feb352d;
	n = (n ^ n >> 15) * 0x846ca68b;
	return n ^ n >> 16;
}

/* Its calls are counted apart: when a thread of its own makes them is a matter of chance. */
static bool is_index(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return strstr(path, "/index.sqlite");
}

static int make_durable(const char *name, int fd)
{
	static _Atomic unsigned calls[2];
	unsigned of = setting("BAD_DISK_EIO"), n = ++calls[is_index(fd)], chance = mix(n);
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	int result;

	be_slow();
	if (!of || n < of || (n > of && chance % of))
		return real(fd);
	result = chance / of % 2 ? real(fd) : 0;
	if (result == 0) {
		errno = EIO;
		result = -1;
	}
	return result;
}

int fsync(int fd)
{
	return make_durable("fsync", fd);
}

int fdatasync(int fd)
{
	return make_durable("fdatasync", fd);
}

int syncfs(int fd)
{
	return make_durable("syncfs", fd);
}

static void count_change(void)
{
	static _Atomic unsigned calls;
	unsigned last = setting("BAD_DISK_LAST");

	if (last && ++calls >= last)
		raise(SIGKILL);
}

int unlinkat(int dir, const char *name, int flags)
{
	int (*real)(int, const char *, int) = (int (*)(int, const char *, int))dlsym(RTLD_NEXT,
										     "unlinkat");
	int result = real(dir, name, flags);

	if (is_there("BAD_DISK_REMOVE"))
		wait_ms(50);
	if (result == 0)
		count_change();
	return result;
}

int fstatat(int dir, const char *restrict name, struct stat *restrict to, int flags)
{
	typedef int looker(int dir, const char *name, struct stat *to, int flags);
	looker *real = (looker *)dlsym(RTLD_NEXT, "fstatat");

	while (strstr(name, ".cut") && is_there("BAD_DISK_LOOK"))
		wait_ms(10);
	return real(dir, name, to, flags);
}

int renameat(int from, const char *old, int to, const char *name)
{
	int (*real)(int, const char *, int, const char *) = (int (*)(
		int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
	int result = real(from, old, to, name);

	if (result == 0)
		count_change();
	return result;
}

typedef ssize_t writer(int fd, const struct iovec *v, int count, off_t at);

static ssize_t write_half(writer *real, int fd, const struct iovec *v, off_t at)
{
	const struct iovec half = { v->iov_base, v->iov_len / 2 };

	return real(fd, &half, 1, at);
}

ssize_t pwritev(int fd, const struct iovec *v, int count, off_t at)
{
	static _Atomic unsigned calls;
	static _Thread_local unsigned full;
	unsigned every = setting("BAD_DISK_SHORT"), last = setting("BAD_DISK_KILL"), n = ++calls;
	writer *real = (writer *)dlsym(RTLD_NEXT, "pwritev");

	if (last && n >= last) {
		write_half(real, fd, v, at);
		raise(SIGKILL);
	}
	if (full) {
		full--;
		errno = ENOSPC;
		return -1;
	}
	if (!every || n % every)
		return real(fd, v, count, at);
	full = 2;
	return write_half(real, fd, v, at);
}
