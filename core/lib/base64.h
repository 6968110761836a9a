/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as letters: base64 (RFC 4648, 4). */
#pragma once

#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* That for each value of six bits. */
extern const char base64_letters[65];

/* Append `bytes`, padded. */
void base64_add(struct text *t, const uint8_t *from, size_t bytes);
