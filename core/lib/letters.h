/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as letters: base45 (RFC 9285), which QR codes hold most of. */
#pragma once

#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* Number of characters for `bytes`; number of bytes for so many characters. */
#define BASE45_CHARS(bytes) ((bytes) / 2 * 3 + (bytes) % 2 * 2)
#define BASE45_BYTES(chars) ((chars) / 3 * 2 + (chars) % 3 / 2)

/* Append `bytes` in base45. */
void letters_base45_add(struct text *t, const uint8_t *from, size_t bytes);

/*
 * Decode `count` characters to `out`, which has BASE45_BYTES(count). Returns the number of valid
 * characters; `count`: all.
 */
size_t letters_base45_read(uint8_t *out, const char *from, size_t count);
