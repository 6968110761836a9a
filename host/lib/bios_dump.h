/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a BIOS as its BMC has them: what GET /redfish/v1/Systems/ID/Bios returns, of
 * which `Attributes` is read (DMTF DSP0268, Bios). As it is or packed by gzip.
 */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What is refused above: machines have hundreds of attributes, in tens of kilobytes. */
#define BIOS_DUMP_BYTES      ((size_t)4 << 20)
#define BIOS_DUMP_ATTRIBUTES 8192

struct bios_dump_attribute {
	char *name;
	char *value; /* the string, or as JSON has it: "3" "true"; NULL: null, not known */
};

/* In the order of the file. Names and values are safe for a terminal. */
struct bios_dump {
	struct bios_dump_attribute *attribute;
	size_t count;
	size_t not_scalar; /* attributes left out, as they are objects or arrays */
	const struct bios_dump_attribute **by_name;
};

/* False if it cannot be read; *why has the reason, without the file's name. */
bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why);

/* NULL if it has no such attribute. */
const struct bios_dump_attribute *bios_dump_find(const struct bios_dump *d, const char *name);

/* The same where it has no value of it. */
const char *bios_dump_value(const struct bios_dump *d, const char *name);

void bios_dump_free(struct bios_dump *d);
