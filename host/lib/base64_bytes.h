/* SPDX-License-Identifier: BSD-2-Clause */
/* Letters of base64 (RFC 4648, 4) as bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Append what `length` letters mean, three bytes for four of them, to the *used bytes in `to`.
 * False where one means nothing, or their number is no multiple of four; some may be appended then.
 */
bool base64_bytes(uint8_t *to, size_t *used, const char *letters, size_t length);
