/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slow or failing disk for one program, by LD_PRELOAD. From the environment:
 *
 *   BAD_DISK_MS=N     what makes durable takes so many ms longer
 *   BAD_DISK_EIO=N    the Nth such call fails and then one of N, after having done it or not,
 *                     in no period: commits of always N calls would each fail
 *   BAD_DISK_SHORT=N  every Nth write stops half way through, the next two fail: disk full
 *   BAD_DISK_KILL=N   the Nth write stops half way through, and with it the program: kill -9
 */
#define _GNU_SOURCE /* RTLD_NEXT, off64_t */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
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

/* Spreads the numbers of calls, the same each time: lowbias32 (C. Wellons, hash-prospector). */
static unsigned mix(unsigned n)
{
	n = (n ^ n >> 16) * 0x7feb352d;
	n = (n ^ n >> 15) * 0x846ca68b;
	return n ^ n >> 16;
}

static int make_durable(const char *name, int fd)
{
	static _Atomic unsigned calls;
	unsigned of = setting("BAD_DISK_EIO"), n = ++calls, chance = mix(n);
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

typedef ssize_t writer(int fd, const void *data, size_t size, off64_t at);

/* SQLite's call to write its database and its log. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
	static _Atomic unsigned calls;
	static _Thread_local unsigned full;
	unsigned every = setting("BAD_DISK_SHORT"), last = setting("BAD_DISK_KILL"), n = ++calls;
	writer *real = (writer *)dlsym(RTLD_NEXT, "pwrite64");

	if (last && n >= last) {
		real(fd, data, size / 2, at);
		raise(SIGKILL);
	}
	if (full) {
		full--;
		errno = ENOSPC;
		return -1;
	}
	if (!every || n % every)
		return real(fd, data, size, at);
	full = 2;
	return real(fd, data, size / 2, at);
}
