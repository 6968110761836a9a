/* SPDX-License-Identifier: BSD-2-Clause */
/* Deflate (RFC 1951) by zlib, in the caller's memory: nothing is allocated. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Scratch memory for either direction, aligned to 16. */
#define DEFLATE_WORK_BYTES (144u << 10)

/* Largest compressed size of any input. */
#define DEFLATE_BYTES_MAX(bytes) ((bytes) + (bytes) / 1000 + 64)

/* Compress `bytes`, less than 2^31, to at most `cap`. Returns their number; 0: no room. */
size_t deflate_pack(void *out, size_t cap, const void *in, size_t bytes, void *work);

/*
 * Decompress. Returns the number of bytes in `out`, at most `cap`; 0: `in` is damaged, cut short or
 * longer than its own end, empty, or becomes more than `cap`.
 */
size_t deflate_unpack(void *out, size_t cap, const void *in, size_t bytes, void *work);
