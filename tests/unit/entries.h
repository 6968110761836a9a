/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of ACPI that a test builds entry by entry, each with its type and its length. */
#pragma once

#include "core/firmware/acpi_table.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct acpi_table *entries;
static uint8_t *entries_at; /* its size is exact, so that AddressSanitizer sees each read past it */

/* Append zeros to the table. Returns their place. */
static inline uint32_t entries_more(uint32_t bytes)
{
	uint32_t at = entries->length;

	entries_at = realloc(entries_at, at + bytes);
	assert(entries_at);
	memset(entries_at + at, 0, bytes);
	entries->bytes = entries_at;
	entries->length += bytes;
	return at;
}

/* Begin a table with a head of so many bytes, and no entries. */
static inline void entries_begin(struct acpi_table *table, const char *name, uint32_t head)
{
	*table = (struct acpi_table){ .name = name, .length_at = 1 };
	entries = table;
	entries_more(head);
}

static inline void entries_end(void)
{
	free(entries_at);
	entries_at = NULL;
}

static inline void entries_put(uint32_t at, unsigned bytes, uint64_t value)
{
	memcpy(entries_at + at, &value, bytes);
}

/* Add an entry that states that length, and has so many bytes. Returns its place. */
static inline uint32_t entries_add(uint8_t type, uint8_t length, uint32_t bytes)
{
	uint32_t at = entries_more(bytes);

	entries_at[at] = type;
	if (bytes > 1)
		entries_at[at + 1] = length;
	return at;
}
