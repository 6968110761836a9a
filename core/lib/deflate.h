/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deflate (RFC 1951) in one block with the fixed codes (3.2.6): what is small to write, and any
 * inflate reads.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DEFLATE_HASHES 4096

/* No input becomes longer. */
#define DEFLATE_BYTES_MAX(bytes) ((bytes) + (bytes) / 8 + 16)

/*
 * Compress `bytes`, less than 2^31, into `out`, which has DEFLATE_BYTES_MAX(bytes). `last` is
 * scratch. Returns how many bytes it became.
 */
size_t deflate_pack(uint8_t *out, const uint8_t *in, size_t bytes, uint32_t last[DEFLATE_HASHES]);
