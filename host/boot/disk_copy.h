/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the image of a disk, in a sparse file, to the disk. */
#pragma once

#include <stdint.h>

/*
 * Copy the file `from`, `bytes` long, to a disk of the same size. The image fills the first `used`
 * bytes; its partition tables are in the first MiB, in the last MiB of these, and at the end of the
 * disk. Holes are not written: the disk keeps its old bytes there. The first MiB is cleared first,
 * and the tables are written last, so that a disk that was written only in part does not boot.
 * `used` is a multiple of 1 MiB, and at least 2 MiB. Returns 0, or an errno.
 */
int disk_copy(int from, int to, uint64_t used, uint64_t bytes);
