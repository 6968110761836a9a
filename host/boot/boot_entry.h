/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's boot entries, by way of efibootmgr(8). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BOOT_ENTRY_LABEL "noisefloor"
#define BOOT_ENTRY_NONE  (-1)

/* Each function prints errors on standard error. `program` is efibootmgr, or its path. */

#define BOOT_ENTRY_ORDER_MAX 0x10000 /* more than 13,000 entries */

struct boot_entry {
	int number; /* BOOT_ENTRY_NONE: there is none */
	int stale;  /* an entry with our label that leads elsewhere; or BOOT_ENTRY_NONE */
	char order[BOOT_ENTRY_ORDER_MAX]; /* "0001,0003" */
	bool order_is_cut;
};

/*
 * Find the entry with our label that leads to our file on the partition with this GUID (NULL: not
 * known). The label alone proves nothing: disks are copied, and entries outlive them. `efivars` is
 * the folder of the firmware's variables. False: the entries could not be listed.
 */
bool boot_entry_find(const char *program, const char *efivars, const uint8_t *partition,
		     struct boot_entry *entry);

/* The number in a line of efibootmgr, if it is an entry with our label; else BOOT_ENTRY_NONE. */
int boot_entry_parse(const char *line);

/*
 * Append the entry to the boot order, unless it is there. Some firmware reuses the number of an
 * entry that is not in the boot order (github.com/rhboot/fwupdate/issues/55). But firmware that
 * recreates its entries at each start, such as OVMF, adds them after ours: do this only if asked.
 */
bool boot_entry_keep(const char *program, const struct boot_entry *entry);

/* Make an entry, but do not add it to the boot order. */
bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader);

bool boot_entry_remove(const char *program, int number);

/* Have the firmware start this entry at the next boot, once. */
bool boot_entry_next(const char *program, int number);
