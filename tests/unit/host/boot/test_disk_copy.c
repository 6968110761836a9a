/* SPDX-License-Identifier: BSD-2-Clause */
/* An image is copied to a disk, which is a file with old data here. */
#define _GNU_SOURCE /* memfd_create */
#include "host/boot/boot.h"

#include "tests/unit/common/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB   ((off_t)1 << 20)
#define USED  (4 * MIB)
#define BYTES (6 * MIB)

static int image, disk;

/* Write a page of the image. */
static void put(off_t at, const char *text)
{
	char page[4096] = { 0 };

	strcpy(page, text);
	assert_int_equal(pwrite(image, page, sizeof(page), at), sizeof(page));
}

static void assert_disk(off_t at, const char *wanted)
{
	char found[16] = { 0 };

	assert_int_equal(pread(disk, found, strlen(wanted), at), strlen(wanted));
	assert_string_equal(found, wanted);
}

static void assert_cleared(off_t at)
{
	char found = 'x';

	assert_int_equal(pread(disk, &found, 1, at), 1);
	assert_int_equal(found, 0);
}

/* Make an image with tables at both ends, a file between them, and holes. */
static void begin(void)
{
	char *old = malloc(BYTES);

	image = memfd_create("image", 0);
	disk = memfd_create("disk", 0);
	memset(old, 'o', BYTES);
	assert_true(write(disk, old, BYTES) == BYTES && ftruncate(image, BYTES) == 0);
	free(old);
	put(0, "first");
	put(2 * MIB, "file");
	put(USED - MIB, "middle");
	put(BYTES - 4096, "last");
}

static void end(void)
{
	close(image);
	close(disk);
}

TEST_F(begin, end, test_data_is_copied_and_holes_are_not)
{
	assert_int_equal(device_copy(image, disk, BYTES), 0);
	assert_disk(0, "first");
	assert_disk(2 * MIB, "file");
	assert_disk(USED - MIB, "middle");
	assert_disk(BYTES - 4096, "last");
	assert_cleared(MIB / 2);
	assert_disk(MIB, "ooo");
	assert_disk(3 * MIB - 3, "ooo");
	assert_disk(USED, "ooo");
}

/* The image cannot be read: the disk's old partition table is gone already. */
TEST_F(begin, end, test_the_old_table_goes_first)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(device_copy(ends[0], disk, BYTES), ESPIPE);
	close(ends[0]);
	close(ends[1]);
	assert_cleared(0);
	assert_cleared(MIB - 1);
	assert_disk(MIB, "ooo");
}

/* The disk fails while the file is written: it has no partition table yet. */
TEST_F(begin, end, test_the_tables_come_last)
{
	struct rlimit before, few = { 0 };

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	few = (struct rlimit){ (rlim_t)(2 * MIB), before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	assert_int_equal(device_copy(image, disk, BYTES), EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_cleared(0);
	assert_disk(USED - MIB, "ooo");
	assert_disk(BYTES - 4096, "ooo");
}

TEST_F(begin, end, test_a_full_disk)
{
	int full = open("/dev/full", O_RDWR);

	assert_int_equal(device_copy(image, full, BYTES), ENOSPC);
	close(full);
}
