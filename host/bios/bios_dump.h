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

#include <stdbool.h>
#include <stddef.h>

/* Larger dumps are refused: a BMC has hundreds of attributes, AMI's script some thousands. */
#define BIOS_DUMP_BYTES      ((size_t)4 << 20)
#define BIOS_DUMP_ATTRIBUTES 32768

struct bios_dump_attribute {
	char *name;  /* with AMI's script followed by the question's token: "Hot Plug#0085" */
	char *value; /* a string, or a JSON scalar as text: "3" "true"; NULL: not known */
};

/* Attributes are in the order of the file. Names and values are safe for a terminal. */
struct bios_dump {
	struct bios_dump_attribute *attribute;
	size_t count;
	size_t not_scalar; /* attributes that are left out: objects and arrays */
	bool recurs;       /* names may recur, as in AMI's script */
	const struct bios_dump_attribute **by_name; /* sorted */
};

/* Read a dump. False: *why has the reason, without the file's name. Always free it afterwards. */
bool bios_dump_read(struct bios_dump *d, const char *path, struct text *why);

/* Find an attribute by its exact name; NULL: there is none. */
const struct bios_dump_attribute *bios_dump_find(const struct bios_dump *d, const char *name);

/* The value of an attribute; NULL: there is no such attribute, or its value is not known. */
const char *bios_dump_value(const struct bios_dump *d, const char *name);

void bios_dump_free(struct bios_dump *d);

/* ---- For readers of a shape ---- */

/* Add an attribute. The dump will free both strings; `value` may be NULL. False: too many. */
bool bios_dump_add(struct bios_dump *d, char *name, char *value, struct text *why);

/*
 * AMI's script, NUL-terminated, which is overwritten. False: the text is refused, and *why has
 * where, what was found and what is accepted.
 */
bool bios_scewin_read(struct bios_dump *d, char *text, struct text *why);
