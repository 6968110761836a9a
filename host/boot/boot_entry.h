/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's boot entries, by way of efibootmgr(8). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BOOT_ENTRY_LABEL "noisefloor"
#define BOOT_ENTRY_NONE  (-1)

/* Each prints on standard error what went wrong; `program` is efibootmgr, or its path. */

#define BOOT_ENTRY_ORDER_MAX 0x10000 /* more than 13,000 entries */

struct boot_entry {
	int number; /* BOOT_ENTRY_NONE: there is none */
	int stale;  /* another with our label, which leads elsewhere; or BOOT_ENTRY_NONE */
	char order[BOOT_ENTRY_ORDER_MAX]; /* "0001,0003" */
	bool order_is_cut;
};

/*
 * The entry with our label that leads to our file on the partition with this GUID; NULL: the
 * partition is not known. Disks are copied, and entries outlive them: the label proves nothing.
 * `efivars`: where the firmware's variables are. False: unknown.
 */
bool boot_entry_find(const char *program, const char *efivars, const uint8_t *partition,
		     struct boot_entry *entry);

/* The number in a line of efibootmgr's, if it is an entry with our label; else BOOT_ENTRY_NONE. */
int boot_entry_parse(const char *line);

/*
 * See to it that it is in the boot order, as the last. Some firmware gives the number of an entry
 * that is not to an entry of its own (github.com/rhboot/fwupdate/issues/55). But firmware that
 * makes entries anew at a start, as OVMF does, adds them behind it: so nobody does this unasked.
 */
bool boot_entry_keep(const char *program, const struct boot_entry *entry);

/* Make an entry that is not in the boot order. */
bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader);

bool boot_entry_remove(const char *program, int number);

/* Started once, at the next boot. */
bool boot_entry_next(const char *program, int number);
