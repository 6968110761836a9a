/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that identify one machine, by their offset in a structure. Source: DMTF DSP0134 3.6, section
 * 7.
 */
#include "smbios.h"

#include "core/lib/mem.h"

#define HIDDEN '*'
#define UUID   8u
#define BYTES  16u

/*
 * Structure types that are kept: firmware, system, board, chassis, processor, cache, slot, memory,
 * IPMI, onboard devices. `hidden` has the offsets of string numbers whose strings are overwritten,
 * and ends with 0.
 */
static const struct kept {
	uint8_t type, hidden[3];
} kept[] = {
	{ 0, { 0 } },           { 1, { 0x07 } }, { 2, { 0x07, 0x08 } }, { 3, { 0x07, 0x08 } },
	{ 4, { 0x20, 0x21 } },  { 7, { 0 } },    { 9, { 0 } },          { 16, { 0 } },
	{ 17, { 0x18, 0x19 } }, { 19, { 0 } },   { 38, { 0 } },         { 41, { 0 } },
	{ TYPE_END, { 0 } },
};

static const struct kept *smbios_scrub_find(uint8_t type)
{
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (kept[i].type == type)
			return &kept[i];
	return NULL;
}

/* Overwrite the n-th string, from 1, and all other strings with the same text. */
static void hide_string(char *strings, uint32_t bytes, uint8_t n)
{
	const char *wanted = strings, *end = strings + bytes;
	size_t length = 0;

	for (; wanted < end && --n; wanted += strlen(wanted) + 1)
		;
	length = wanted < end ? strlen(wanted) : 0;
	for (char *at = strings; length && at < end; at += strlen(at) + 1)
		if (at != wanted && strlen(at) == length && !memcmp(at, wanted, length))
			memset(at, HIDDEN, length);
	if (length)
		memset(strings + (wanted - strings), HIDDEN, length);
}

static void hide(uint8_t *copy, const struct smbios_struct *s, const struct kept *k)
{
	for (unsigned i = 0; i < sizeof(k->hidden) && k->hidden[i]; i++)
		if (k->hidden[i] < s->length && copy[k->hidden[i]])
			hide_string((char *)copy + s->length, s->strings_bytes, copy[k->hidden[i]]);
	if (k->type == 1 && s->length > UUID)
		memset(copy + UUID, 0, s->length - UUID < BYTES ? s->length - UUID : BYTES);
}

size_t smbios_scrub(const uint8_t *table, uint32_t bytes, uint8_t *out, size_t cap)
{
	uint32_t whole;
	size_t used = 0;

	for (uint32_t at = 0; at < bytes; at += whole) {
		const struct kept *k = smbios_scrub_find(table[at]);
		struct smbios_struct s = { 0 };

		whole = smbios_split(table + at, bytes - at, &s);
		if (!whole || (k && whole > cap - used))
			break;
		if (!k)
			continue;
		memcpy(out + used, table + at, whole);
		hide(out + used, &s, k);
		used += whole;
		if (k->type == TYPE_END)
			break;
	}
	return used;
}
