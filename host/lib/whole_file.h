/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files, read as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read all bytes of the file, to be freed. Returns NULL with errno, EFBIG if it has more than
 * `most`.
 */
uint8_t *whole_file_read(const char *path, size_t most, size_t *bytes);

/*
 * Find a file that comes with this program, relative to the program's own folder: at `installed`
 * or, in the source tree, at `built`. `path` has PATH_MAX bytes. Returns false, with the first of
 * the two in `path`, if neither is there.
 */
bool whole_file_of_ours(char *path, const char *installed, const char *built);
