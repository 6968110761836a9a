/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disks that a medium may be written to: whole, removable, not in use. Source: Linux,
 * Documentation/ABI/stable/sysfs-block and testing/sysfs-block, proc(5).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* FAT32 needs at least 65525 clusters, and results need space. */
#define DEVICE_MIB_LEAST 64u
#define DEVICE_SECTOR    512u

#define DEVICE_MODEL_MAX 64
#define DEVICE_WHY_MAX   256

/* Where the kernel lists disks and mounts; tests have others. */
struct device_places {
	const char *sys;       /* "/sys" */
	const char *mountinfo; /* "/proc/self/mountinfo" */
};

extern const struct device_places device_places;

struct device {
	uint64_t bytes;
	char model[DEVICE_MODEL_MAX]; /* vendor and model, printable; "" if unknown */
};

/*
 * Check the block device of this number. False: it must not be written to, and `why` has the
 * reason, to be printed after its name and ": ".
 */
bool device_check(const struct device_places *places, dev_t number, struct device *device,
		  char why[DEVICE_WHY_MAX]);

/* ---- Copying ---- */

/*
 * Copy the file `from`, `bytes` long, to a disk of the same size. The image fills the first `used`
 * bytes; its partition tables are in the first MiB, in the last MiB of these, and at the end of the
 * disk. Holes are not written: the disk keeps its old bytes there. The first MiB is cleared first,
 * and the tables are written last, so that a disk that was written only in part does not boot.
 * `used` is a multiple of 1 MiB, and at least 2 MiB. Returns 0, or an errno.
 */
int device_copy(int from, int to, uint64_t used, uint64_t bytes);
