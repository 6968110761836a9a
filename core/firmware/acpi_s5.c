/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the machine is switched off: \_S5 in the DSDT or an SSDT, without an interpreter, by its
 * encoding as Name (_S5, Package () { type a, type b, ... }), which is what compilers make of it.
 * Source: ACPI 6.5, 7.4.2.7 and 20.2 (AML).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define NAME_OP    0x08
#define ROOT       0x5c
#define PACKAGE_OP 0x12
#define ONE_OP     0x01 /* and 0: the values themselves */
#define BYTE       0x0a

#define NAME_BYTES 4u
#define TYPE_MAX   7u /* three bits of the register */

struct cursor {
	const uint8_t *at, *end;
};

static unsigned take(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : UINT8_MAX;
}

static bool take_type(struct cursor *c, uint8_t *type)
{
	unsigned value = take(c);

	if (value == BYTE)
		value = take(c);
	else if (value > ONE_OP)
		return false;
	*type = (uint8_t)value;
	return value <= TYPE_MAX;
}

/* What follows the name. */
static bool read_package(struct acpi_info *info, struct cursor c)
{
	if (take(&c) != PACKAGE_OP)
		return false;
	/* Its length has up to three bytes more. */
	c.at += c.at < c.end ? (*c.at >> 6) + 1 : 0;
	return take(&c) >= 2 && take_type(&c, &info->s5_type[0]) &&
	       take_type(&c, &info->s5_type[1]) && c.at <= c.end;
}

void acpi_parse_s5(struct acpi_reader *r, const char *name, uint64_t address)
{
	struct acpi_table t;

	if (r->info->has_s5 || !acpi_map_table(r, name, address, &t) ||
	    memcmp(t.bytes, name, NAME_BYTES) != 0 || bytes_sum(t.bytes, t.length) != 0)
		return;
	for (uint32_t at = ACPI_HEADER_BYTES + 1; at + NAME_BYTES <= t.length; at++) {
		const uint8_t *b = t.bytes + at;
		bool is_name = b[-1] == NAME_OP || (b[-1] == ROOT && b[-2] == NAME_OP);
		struct cursor c = { b + NAME_BYTES, t.bytes + t.length };

		if (is_name && !memcmp(b, "_S5_", NAME_BYTES) && read_package(r->info, c)) {
			r->info->has_s5 = true;
			return;
		}
	}
}
