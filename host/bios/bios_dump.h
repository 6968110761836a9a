/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a BIOS, as they are exported from a machine. The file may be compressed by gzip.
 * Its content shows which shape it has:
 *
 *   Redfish      GET /redfish/v1/Systems/ID/Bios: an object `Attributes` (DMTF DSP0268, Bios)
 *   HPE's Gen9   Redfish of an iLO 4: attributes beside `Type`, which begins with "HpBios."
 *   Dell's SCP   a Server Configuration Profile, as JSON: its components "BIOS..."
 *   fwupd        fwupdmgr get-bios-settings --json: a list `BiosSettings`
 *   AMI          the script that SCEWIN exports: blocks of `Setup Question = NAME`
 */
#pragma once

#include "core/lib/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger dumps are refused: a BMC has hundreds of attributes, AMI's script some thousands. */
#define BIOS_DUMP_BYTES      ((size_t)4 << 20)
#define BIOS_DUMP_ATTRIBUTES 32768

/*
 * Attributes by name, in the order of the file: strings, a JSON scalar as text, "3" "true"; null:
 * the value is not known. Names and values are safe for a terminal. With AMI's script the
 * question's token follows its name: "Hot Plug#0085"; if both recur, their number, too: "/2".
 */
struct bios_dump {
	json_t *values;
	size_t not_scalar; /* attributes that are left out: objects and arrays */
};

/* Read a dump. False: *why has the reason, without the file's name. Always free it afterwards. */
bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why);

/* The value of an attribute; NULL: there is no such attribute, or its value is not known. */
const char *bios_dump_value(const struct bios_dump *d, const char *name);

void bios_dump_free(struct bios_dump *d);
