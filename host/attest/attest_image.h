/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash by which firmware measures an image that it starts. */
#pragma once

#include "core/lib/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A PE image's Authenticode hash by SHA-256 (Microsoft, Windows Authenticode Portable Executable
 * Signature Format 1.0, "Calculating the PE Image Hash"): of all but its checksum, the place of its
 * signatures and these themselves, so a signature does not change it. False: it is no PE image, or
 * contradicts itself.
 */
bool attest_image_hash(const uint8_t *image, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* That of a file. NULL, or why not. */
const char *attest_image_read(const char *path, uint8_t digest[SHA256_BYTES]);
