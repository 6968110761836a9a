/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel copies the data, in three parts; see disk_copy.h. */
#define _GNU_SOURCE /* SEEK_DATA */
#include "disk_copy.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define MIB ((off_t)1 << 20)

static int copy_data(int from, int to, off_t at, off_t end)
{
	if (lseek(to, at, SEEK_SET) < 0)
		return errno;
	while (at < end) {
		ssize_t done = sendfile(to, from, &at, (size_t)(end - at));

		if (done < 0 && errno != EINTR)
			return errno;
		if (done == 0)
			return EIO;
	}
	return 0;
}

/* Copy everything but holes between the offsets `at` and `end`. */
static int copy_part(int from, int to, off_t at, off_t end)
{
	int error = 0;

	while (!error && at < end) {
		off_t data = lseek(from, at, SEEK_DATA), hole;

		if (data < 0)
			return errno == ENXIO ? 0 : errno;
		hole = lseek(from, data, SEEK_HOLE);
		at = hole < end ? hole : end;
		error = copy_data(from, to, data, at);
	}
	return error;
}

static int clear_start(int to)
{
	static uint8_t zeroes[MIB]; /* not const, which would be 1 MiB of the program */
	ssize_t done = pwrite(to, zeroes, sizeof(zeroes), 0);

	if (done == (ssize_t)sizeof(zeroes))
		return fsync(to) == 0 ? 0 : errno;
	return done < 0 ? errno : EIO;
}

int disk_copy(int from, int to, uint64_t used, uint64_t bytes)
{
	off_t tables = (off_t)used - MIB;
	int error = clear_start(to);

	if (!error)
		error = copy_part(from, to, MIB, tables);
	if (!error && fsync(to) != 0)
		error = errno;
	if (!error)
		error = copy_part(from, to, tables, (off_t)bytes);
	if (!error)
		error = copy_part(from, to, 0, MIB);
	if (!error && fsync(to) != 0)
		error = errno;
	return error;
}
