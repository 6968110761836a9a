/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files, read as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All bytes of the file, to be freed; NULL with errno, EFBIG if it has more than `most`. */
uint8_t *whole_file_read(const char *path, size_t most, size_t *bytes);

/*
 * A file that comes with this program, by its name from the program's own folder: `installed`, or
 * in the tree `built`. False: neither is there, and `path`, of PATH_MAX bytes, is the first.
 */
bool whole_file_of_ours(char *path, const char *installed, const char *built);
