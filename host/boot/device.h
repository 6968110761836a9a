/* SPDX-License-Identifier: BSD-2-Clause */
/* Disks that a medium may be written to: whole, removable, not in use. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* FAT32 needs at least 65525 clusters, and results need space. */
#define DEVICE_MIB_LEAST 64u
#define DEVICE_SECTOR    512u

#define DEVICE_MODEL_MAX 64
#define DEVICE_WHY_MAX   256

struct device {
	uint64_t bytes;
	char model[DEVICE_MODEL_MAX]; /* vendor and model, printable; "" if unknown */
};

/*
 * What lsblk(8) reports of a block device: an object of JSON, to be freed. NULL, with the reason on
 * standard error: lsblk cannot be run, or does not list the device.
 */
json_t *device_list(const char *path);

/*
 * Check a block device by what device_list() has of it. False: it must not be written to, and `why`
 * has the reason, to be printed after its name and ": ".
 */
bool device_check(const json_t *listed, struct device *device, char why[DEVICE_WHY_MAX]);

/* ---- Copying ---- */

/*
 * Copy the file `from`, `bytes` long, to a disk of the same size. The image fills the first `used`
 * bytes; its partition tables are in the first MiB, in the last MiB of these, and at the end of the
 * disk. Holes are not written: the disk keeps its old bytes there. The first MiB is cleared first,
 * and the tables are written last, so that a disk that was written only in part does not boot.
 * `used` is a multiple of 1 MiB, and at least 2 MiB. Returns 0, or an errno.
 */
int device_copy(int from, int to, uint64_t used, uint64_t bytes);
