/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine identity from SMBIOS, read as hostile input. Source: DMTF DSP0134 3.6. */
#pragma once

#include "acpi.h"
#include "core/lib/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer strings are truncated; bytes outside printable ASCII become '?'. */
#define SMBIOS_STRING_MAX 64
#define SMBIOS_BYTES_MAX  (1u << 20) /* no valid structure table is longer */

struct smbios_info {
	/* An absent string is "". Blanks at the end are dropped. */
	char bios_vendor[SMBIOS_STRING_MAX + 1];
	char bios_version[SMBIOS_STRING_MAX + 1];
	char bios_date[SMBIOS_STRING_MAX + 1];
	char vendor[SMBIOS_STRING_MAX + 1];
	char product[SMBIOS_STRING_MAX + 1];
	char board[SMBIOS_STRING_MAX + 1];
	/*
	 * "xxxxxxxx-xxxx-...", first three fields little-endian from SMBIOS 2.6
	 * on, as they stand before it; "" when all 0 or all FF.
	 */
	char uuid[UUID_TEXT];
	uint8_t uuid_bytes[UUID_BYTES]; /* binary `uuid`; all 0 where that is "" */
	const uint8_t *table; /* the structures, as they stand in memory; NULL: there are none */
	uint32_t bytes;       /* their length */
};

/*
 * Copy the structures that describe a model of machine into `out`, without identification: serial
 * numbers, asset tags and the UUID are overwritten, and types that may contain some are left out.
 * Returns the number of bytes, at most `cap`.
 */
size_t smbios_scrub(const uint8_t *table, uint32_t bytes, uint8_t *out, size_t cap);

/*
 * Read the structure table from an entry point ("_SM_" when !is_64bit, "_SM3_"
 * when is_64bit). Defects are reported and valid fields are kept; false
 * if the entry point itself is invalid.
 */
bool smbios_read(struct smbios_info *info, const struct acpi_memory *memory, uint64_t entry_point,
		 bool is_64bit, acpi_complaint *complain, void *ctx);

/*
 * Every structure starts with type, length and handle; the length is that of its fixed part: 6.1.
 */
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

/*
 * Read the structure at `b`, of which `left` bytes are there. Returns its length; 0 if it is
 * truncated.
 */
uint32_t smbios_split(const uint8_t *b, uint32_t left, struct smbios_struct *s);
