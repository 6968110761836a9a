/* SPDX-License-Identifier: BSD-2-Clause */
/* UUIDs: as text, and as bytes in the order of the text's digits (RFC 9562, section 4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define UUID_BYTES 16
#define UUID_TEXT  37 /* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", terminated */

/* Print the UUID in lower case. */
void uuid_print(const uint8_t uuid[UUID_BYTES], char text[UUID_TEXT]);

/* Parse a UUID, in either case, and nothing else. False: invalid, and `uuid` is undefined. */
bool uuid_parse(const char *text, uint8_t uuid[UUID_BYTES]);
