/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4) of what is in memory: names a text, as sha256sum does. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);
