/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the entry point, then the structures, each followed by its strings. */
#include "smbios.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define TYPE_SYSTEM 1

#define SYSTEM_UUID 8

/* The fields of an entry point. */
struct smbios_entry {
	uint64_t address; /* address of the structure table */
	uint32_t bytes;   /* length of the table; "at most" from SMBIOS 3.0 on */
	uint32_t count;   /* number of structures; 0: not given */
	uint32_t version; /* major << 8 | minor */
};

/* The two forms of entry point, DSP0134 sections 5.2.1 and 5.2.2: offsets of their members. */
static const struct entry_form {
	const char *anchor;
	uint8_t min_bytes, max_bytes;
	uint8_t length, major;
} forms[] = {
	/* SMBIOS 2.1 had a length of 1Eh, one too low; both occur. */
	[false] = { "_SM_", 0x1e, 0x20, 0x05, 0x06 },
	[true] = { "_SM3_", 0x18, 0x20, 0x06, 0x07 },
};

/* The strings that are kept, from the first structure of each type. */
static const struct string_field {
	uint8_t type;
	uint8_t offset; /* offset of the string's number in the structure */
	size_t to;      /* in struct smbios_info */
} string_fields[] = {
	{ 0, 4, offsetof(struct smbios_info, bios_vendor) },
	{ 0, 5, offsetof(struct smbios_info, bios_version) },
	{ 0, 8, offsetof(struct smbios_info, bios_date) },
	{ 1, 4, offsetof(struct smbios_info, vendor) },
	{ 1, 5, offsetof(struct smbios_info, product) },
	{ 2, 5, offsetof(struct smbios_info, board) },
};

#define TYPES_KEPT 3 /* types 0 to 2 */

/* Check the entry point. NULL if it is invalid, which is reported. */
static const uint8_t *check_entry_point(struct acpi_reader *r, uint64_t address,
					const struct entry_form *form)
{
	const uint8_t *b = acpi_memory_map(r->memory, address, form->min_bytes);
	const char *problem = NULL;

	if (!b)
		problem = "is not in memory";
	else if (memcmp(b, form->anchor, strlen(form->anchor)) != 0)
		problem = "has another anchor";
	else if (b[form->length] < form->min_bytes || b[form->length] > form->max_bytes)
		problem = "has an invalid length";
	else if (!(b = acpi_memory_map(r->memory, address, b[form->length])))
		problem = "extends beyond memory";
	else if (bytes_sum(b, b[form->length]) != 0)
		problem = "has a wrong checksum";

	if (!problem)
		return b;
	acpi_complain_of(r, "SMBIOS entry point %s at 0x%llx %s; the machine is not identified",
			 form->anchor, (unsigned long long)address, problem);
	return NULL;
}

static bool read_entry_point(struct acpi_reader *r, uint64_t address, bool is_64bit,
			     struct smbios_entry *entry)
{
	const struct entry_form *form = &forms[is_64bit];
	const uint8_t *b = check_entry_point(r, address, form);

	if (!b)
		return false;
	entry->version = (uint32_t)b[form->major] << 8 | b[form->major + 1];
	entry->bytes = is_64bit ? bytes_le32(b + 0x0c) : bytes_le16(b + 0x16);
	entry->address = is_64bit ? bytes_le64(b + 0x10) : bytes_le32(b + 0x18);
	entry->count = is_64bit ? 0 : bytes_le16(b + 0x1c);
	return true;
}

uint32_t smbios_split(const uint8_t *b, uint32_t left, struct smbios_struct *s)
{
	if (left < STRUCT_HEADER_BYTES || b[STRUCT_LENGTH] < STRUCT_HEADER_BYTES ||
	    b[STRUCT_LENGTH] > left)
		return 0;
	s->bytes = b;
	s->length = b[STRUCT_LENGTH];
	s->strings = (const char *)b + s->length;

	/* Two NULs end the strings, even if there are none. */
	for (uint32_t end = s->length; end + 2 <= left; end++) {
		if (b[end] == 0 && b[end + 1] == 0) {
			s->strings_bytes = end + 1 - s->length;
			return end + 2;
		}
	}
	return 0;
}

/* The n-th string, from 1; NULL if there are fewer. An empty one ends them. */
static const char *find_string(const struct smbios_struct *s, uint8_t n)
{
	const char *at = s->strings, *end = at + s->strings_bytes;

	while (--n && at < end)
		at += strlen(at) + 1;
	return at < end && *at ? at : NULL;
}

/* Copy a string so that it can be shown: bounded, printable, without padding. */
static void copy_string(char *to, const char *from)
{
	size_t used = 0;

	for (; used < SMBIOS_STRING_MAX && from[used]; used++)
		to[used] = from[used] >= ' ' && from[used] <= '~' ? from[used] : '?';
	while (used > 0 && to[used - 1] == ' ')
		used--;
	to[used] = '\0';
}

static void read_strings(struct acpi_reader *r, struct smbios_info *info,
			 const struct smbios_struct *s)
{
	for (size_t i = 0; i < sizeof(string_fields) / sizeof(string_fields[0]); i++) {
		const struct string_field *f = &string_fields[i];

		if (f->type != s->bytes[STRUCT_TYPE] || f->offset >= s->length ||
		    s->bytes[f->offset] == 0)
			continue;

		const char *string = find_string(s, s->bytes[f->offset]);

		if (string)
			copy_string((char *)info + f->to, string);
		else
			acpi_complain_of(r, "SMBIOS structure of type %u has no string %u; ignored",
					 f->type, s->bytes[f->offset]);
	}
}

/* All 0: not present; all FF: not set. */
static bool has_uuid(const struct smbios_struct *s)
{
	const uint8_t *b = s->bytes + SYSTEM_UUID;

	return s->length >= SYSTEM_UUID + UUID_BYTES &&
	       ((b[0] != 0 && b[0] != 0xff) || memcmp(b, b + 1, UUID_BYTES - 1) != 0);
}

/* UUID, DSP0134 section 7.2.1: printed in the order of RFC 4122. */
static void read_uuid(struct smbios_info *info, const struct smbios_struct *s, uint32_t version)
{
	static const uint8_t swapped[] = { 3, 2, 1, 0, 5, 4, 7, 6 };
	const uint8_t *b = s->bytes + SYSTEM_UUID;

	if (!has_uuid(s))
		return;
	for (unsigned i = 0; i < UUID_BYTES; i++) {
		bool swap = version >= 0x0206 && i < sizeof(swapped);

		info->uuid_bytes[i] = b[swap ? swapped[i] : i];
	}
	uuid_print(info->uuid_bytes, info->uuid);
}

static void read_structs(struct acpi_reader *r, struct smbios_info *info,
			 const struct smbios_entry *entry)
{
	bool seen[TYPES_KEPT] = { false };
	uint32_t at = 0;

	for (uint32_t n = 0; at < info->bytes && (!entry->count || n < entry->count); n++) {
		struct smbios_struct s = { 0 };
		uint32_t bytes = smbios_split(info->table + at, info->bytes - at, &s);
		uint8_t type = info->table[at];

		if (bytes == 0) {
			acpi_complain_of(
				r,
				"SMBIOS structure at offset %u is truncated; the rest is ignored",
				at);
			return;
		}
		if (type == TYPE_END)
			return;
		if (type < TYPES_KEPT && !seen[type]) {
			seen[type] = true;
			read_strings(r, info, &s);
			if (type == TYPE_SYSTEM)
				read_uuid(info, &s, entry->version);
		}
		at += bytes;
	}
}

bool smbios_read(struct smbios_info *info, const struct acpi_memory *memory, uint64_t entry_point,
		 bool is_64bit, acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { NULL, memory, complain, ctx, 0 };
	struct smbios_entry entry;

	memset(info, 0, sizeof(*info));
	if (!read_entry_point(&r, entry_point, is_64bit, &entry))
		return false;
	if (entry.bytes <= SMBIOS_BYTES_MAX)
		info->table = acpi_memory_map(memory, entry.address, entry.bytes);
	if (info->table) {
		info->bytes = entry.bytes;
		read_structs(&r, info, &entry);
	} else {
		acpi_complain_of(&r,
				 "SMBIOS table at 0x%llx with %u bytes is not in memory; ignored",
				 (unsigned long long)entry.address, entry.bytes);
	}
	return true;
}
