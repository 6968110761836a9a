/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's boot entries, by way of efibootmgr(8). */
#pragma once

#include <stdbool.h>

#define BOOT_ENTRY_LABEL "noisefloor"
#define BOOT_ENTRY_NONE  (-1)

/* Each prints on standard error what went wrong; `program` is efibootmgr, or its path. */

/* The number of the entry with our label to *number, or BOOT_ENTRY_NONE. False: unknown. */
bool boot_entry_find(const char *program, int *number);

/* The number in a line of efibootmgr's, if it is an entry with our label; else BOOT_ENTRY_NONE. */
int boot_entry_parse(const char *line);

/* Make an entry that is not in the boot order. */
bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader);

bool boot_entry_remove(const char *program, int number);

/* Started once, at the next boot. */
bool boot_entry_next(const char *program, int number);
