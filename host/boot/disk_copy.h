/* SPDX-License-Identifier: BSD-2-Clause */
/* An image of a disk, made in a sparse file, onto that disk. */
#pragma once

#include <stdint.h>

/*
 * Copy all of a file but its holes to a disk of `bytes` bytes, of which the image takes the first
 * `used` and the end: the first and the last MiB of them, and what is behind, hold partition
 * tables. A disk that was written in part does not boot: the first MiB is cleared before anything
 * else, and the tables come last. What is a hole in the file stays as it was. 0, or an errno.
 */
int disk_copy(int from, int to, uint64_t used, uint64_t bytes);
