/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4 with a tag of 128 bits: signs datagrams with a key that both ends know. Aumasson and
 * Bernstein, "SipHash: a fast short-input PRF", 2012; the 128-bit form is that of the authors'
 * reference code, whose vectors are in the tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_BYTES 16
#define SIPHASH_TAG_BYTES 16

/* The tag of `bytes` bytes under the key. */
void siphash(const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t bytes,
	     uint8_t tag[SIPHASH_TAG_BYTES]);

/* True if two tags are equal. Takes constant time, so that a forger learns nothing. */
bool siphash_same(const uint8_t a[SIPHASH_TAG_BYTES], const uint8_t b[SIPHASH_TAG_BYTES]);
