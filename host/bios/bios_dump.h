/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a BIOS, as they are read from a machine, plain or packed by gzip. The shape is
 * found by what the file holds:
 *
 *   Redfish      GET /redfish/v1/Systems/ID/Bios: an object `Attributes` (DMTF DSP0268, Bios)
 *   HPE's Gen9   the same of an iLO 4: attributes beside `Type`, which begins with "HpBios."
 *   Dell's SCP   a Server Configuration Profile, as XML or JSON: its components "BIOS..."
 *   fwupd        fwupdmgr get-bios-settings --json: a list `BiosSettings`
 *   AMI          the script that SCEWIN exports: blocks of `Setup Question = NAME`
 */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What is refused above: a BMC has hundreds of attributes, a script of AMI's some thousands. */
#define BIOS_DUMP_BYTES      ((size_t)4 << 20)
#define BIOS_DUMP_ATTRIBUTES 32768

struct bios_dump_attribute {
	char *name;  /* AMI's have the question's token behind them: "Hot Plug#0085" */
	char *value; /* the string, or as JSON has it: "3" "true"; NULL: null, not known */
};

/* In the order of the file. Names and values are safe for a terminal. */
struct bios_dump {
	struct bios_dump_attribute *attribute;
	size_t count;
	size_t not_scalar; /* attributes left out, as they are objects or arrays */
	bool recurs;       /* names may recur: those of AMI's script */
	const struct bios_dump_attribute **by_name;
};

/* False if it cannot be read; *why has the reason, without the file's name. */
bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why);

/* NULL if it has no such attribute. */
const struct bios_dump_attribute *bios_dump_find(const struct bios_dump *d, const char *name);

/* The same where it has no value of it. */
const char *bios_dump_value(const struct bios_dump *d, const char *name);

void bios_dump_free(struct bios_dump *d);
