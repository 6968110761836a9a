/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of P-256 and their signatures, by OpenSSL. A program that is linked statically has
 * attest_key_absent.c, and checks none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTEST_KEY_NUMBER 32u
#define ATTEST_KEY_POINT  (1 + 2 * ATTEST_KEY_NUMBER) /* 4, x, y: SEC 1, 2.3.3 */

/* ECDSA's, big-endian. */
struct attest_key_signature {
	uint8_t r[ATTEST_KEY_NUMBER], s[ATTEST_KEY_NUMBER];
};

/* Whether it is the key's signature of the text, which is hashed by SHA-256. */
bool attest_key_signed(const uint8_t point[ATTEST_KEY_POINT], const uint8_t *text, size_t bytes,
		       const struct attest_key_signature *signature);

/* The public key in a PEM file. NULL, or why not. */
const char *attest_key_read(const char *path, uint8_t point[ATTEST_KEY_POINT]);

/* As PEM to the file, which must not exist. NULL, or why not. */
const char *attest_key_write(const char *path, const uint8_t point[ATTEST_KEY_POINT]);

/* NULL, or why nothing can be checked. */
const char *attest_key_why_not(void);
