/* SPDX-License-Identifier: BSD-2-Clause */
/* One structure of SMBIOS. Source: DMTF DSP0134 3.6, section 6.1. */
#pragma once

#include <stdint.h>

/* Every structure starts with type, length and handle; the length is that of its fixed part. */
#define STRUCT_TYPE         0
#define STRUCT_LENGTH       1
#define STRUCT_HEADER_BYTES 4

#define TYPE_END 127

/* One structure: the fixed part, and the strings up to their closing NULs. */
struct smbios_struct {
	const uint8_t *bytes;
	uint8_t length;
	const char *strings;
	uint32_t strings_bytes; /* each string with its NUL, without the one that closes them all */
};

/* Split the structure at `b` off the `left` bytes there; 0 when it is not whole, else its bytes. */
uint32_t smbios_split(const uint8_t *b, uint32_t left, struct smbios_struct *s);
