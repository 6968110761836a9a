/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the machine is switched off: \_S5 in the DSDT, without an interpreter, by its encoding as
 * Name (_S5, Package () { type a, type b, ... }), which is what compilers make of it. Source: ACPI
 * 6.5, 7.4.2.7 and 20.2 (AML).
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

void acpi_parse_s5(struct acpi_reader *r, uint64_t dsdt)
{
	struct acpi_table t;

	if (!acpi_map_table(r, "DSDT", dsdt, &t) || memcmp(t.bytes, "DSDT", NAME_BYTES) != 0 ||
	    bytes_sum(t.bytes, t.length) != 0)
		return;
	for (uint32_t at = ACPI_HEADER_BYTES + 2; at + NAME_BYTES <= t.length; at++) {
		const uint8_t *name = t.bytes + at;
		bool is_name = name[-1] == NAME_OP || (name[-1] == ROOT && name[-2] == NAME_OP);
		struct cursor c = { name + NAME_BYTES, t.bytes + t.length };

		if (is_name && !memcmp(name, "_S5_", NAME_BYTES) && read_package(r->info, c)) {
			r->info->has_s5 = true;
			return;
		}
	}
}
