/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HEST: errors that the firmware handles before the OS; on x86 it does so in SMM. Source: ACPI 6.5,
 * 18.3.2. Structures do not have a length: after one of an unknown type, the rest cannot be read.
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/text.h"

#define COUNT          36u
#define FIRST          40u
#define FLAGS          6u
#define ENABLED        7u
#define FIRMWARE_FIRST (1u << 0)
#define BANK_BYTES     28u
#define GHES_NOTIFY    32u /* the type in the notification structure, 18.3.2.9 */

/*
 * Names of GHES notification types, by number; the last one stands for all others. Names of sources
 * that have a flag follow.
 */
static const char names[][5] = {
	"POLL", "EXT",  "INTR", "SCI", "NMI", "CMCI", "MCE", "GPIO", "SEA",
	"SEI",  "GSIV", "SDEI", "?",   "MCE", "CMC",  "AER", "DMC",
};

#define NAMES        (sizeof(names) / sizeof(names[0]))
#define NOTIFY_OTHER 12u

enum { MCE = NOTIFY_OTHER + 1, CMC, AER, DMC, GHES, WITHOUT_FLAG };

/* Error sources by type: size without banks, offset of the number of banks, and name. */
static const struct kind {
	uint8_t bytes, banks, name;
} kinds[] = {
	[0] = { 40, 32, MCE }, [1] = { 48, 44, CMC },  [2] = { 20, 0, WITHOUT_FLAG },
	[6] = { 48, 0, AER },  [7] = { 44, 0, AER },   [8] = { 56, 0, AER },
	[9] = { 64, 0, GHES }, [10] = { 92, 0, GHES }, [11] = { 48, 44, DMC },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/*
 * Length of the source at `at`, of which `left` bytes remain; 0: it is truncated, or of an unknown
 * type.
 */
static uint32_t length_at(const uint8_t *at, uint32_t left)
{
	const struct kind *k = kinds;
	uint32_t length;

	if (bytes_le16(at) >= KINDS)
		return 0;
	k += at[0];
	if (!k->bytes || k->bytes > left)
		return 0;
	length = k->bytes + (k->banks ? at[k->banks] * BANK_BYTES : 0);
	return length <= left ? length : 0;
}

/* The name's bit; 0: the source is off, or handled by the OS. */
static uint32_t bit_at(const uint8_t *at)
{
	uint8_t name = kinds[at[0]].name;

	if (name == WITHOUT_FLAG || !at[ENABLED])
		return 0;
	if (name == GHES)
		return 1u << (at[GHES_NOTIFY] < NOTIFY_OTHER ? at[GHES_NOTIFY] : NOTIFY_OTHER);
	return at[FLAGS] & FIRMWARE_FIRST ? 1u << name : 0;
}

static void acpi_hest_print(struct text *t, uint32_t bits)
{
	for (unsigned n = 0; n < NAMES; n++)
		if (bits >> n & 1)
			text_add(t, "%s%s%s", t->len ? " " : "", n <= NOTIFY_OTHER ? "GHES:" : "",
				 names[n]);
}

void acpi_parse_hest(struct acpi_reader *r, const struct acpi_table *t)
{
	uint32_t at = FIRST, bits = 0, length;
	struct text out;

	for (uint32_t n = bytes_le32(t->bytes + COUNT); n; n--, at += length) {
		length = t->length - at >= 2 ? length_at(t->bytes + at, t->length - at) : 0;
		if (!length) {
			acpi_complain_of(r,
					 "HEST: offset %u is no known source; the rest is "
					 "ignored",
					 at);
			break;
		}
		bits |= bit_at(t->bytes + at);
	}
	r->info->has_hest = true;
	text_init(&out, r->info->firmware_first, sizeof(r->info->firmware_first));
	acpi_hest_print(&out, bits);
}
