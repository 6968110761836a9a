/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4), at once or piece by piece: names a text, as sha256sum does. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

/* State of a hash; a copy of it continues independently. */
struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[SHA256_BLOCK];
};

void sha256_start(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t bytes);

/* Get the digest. Nothing may be added after this. */
void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES]);

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);
