/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files, read as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns how many bytes it has put to `to`, at most `room`; 0: no more. */
typedef size_t whole_file_source(void *from, void *to, size_t room);

/*
 * Read on until the end, or until there are more than `most` bytes; a zero follows these. To be
 * freed. Ends the program when memory has run out.
 */
uint8_t *whole_file_take(whole_file_source *read, void *from, size_t most, size_t *bytes);

/* Take all bytes of the file. Returns NULL with errno, EFBIG if it has more than `most`. */
uint8_t *whole_file_read(const char *path, size_t most, size_t *bytes);

/*
 * Find a file that comes with this program, relative to the program's own folder: at `installed`
 * or, in the source tree, at `built`. `path` has PATH_MAX bytes. Returns false, with the first of
 * the two in `path`, if neither is there.
 */
bool whole_file_of_ours(char *path, const char *installed, const char *built);
