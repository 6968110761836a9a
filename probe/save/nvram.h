/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report in one of the firmware's variables, which also work after boot services have ended. A
 * report takes the place of the one before it at once, so that at any moment at which the power may
 * fail one of them is whole (UEFI 2.10, 8.2.3). SetVariable raises an SMI on many machines and
 * takes milliseconds: never call it in a window.
 */
#pragma once

#include "core/keep/saved_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes that a report may take, of which a quarter of the store stays free; 0: the store is
 * full. While boot services live, they include what the firmware can still reclaim.
 */
size_t nvram_room(void);

/* Bytes of the store that may be used now. False: the firmware does not report it. */
bool nvram_left(uint64_t *left);

/* Most bytes of a report. */
#define NVRAM_REPORT_MAX 32768u

/* Read the report, at most `cap` bytes. SAVED_STATE_UNREAD: it may be whole. */
enum saved_state nvram_read(void *report, size_t cap, size_t *bytes);

/*
 * Write the report, and read it back into `back`, which has room for it. NULL, or why it is not
 * there; *full: for want of room.
 */
const char *nvram_write(const void *report, size_t bytes, void *back, bool *full);

/* Remove the report. False: it stays. */
bool nvram_remove(void);

/* The number of the boot entry that started the image. False: the firmware does not report it. */
bool nvram_entry(uint16_t *number);

/*
 * True if the entry leads to this image, or to the shim that has loaded it. If a boot loader has
 * started the image, the entry is the loader's, whose default is likely to be another program.
 */
bool nvram_entry_is_ours(uint16_t number);

/*
 * Have the firmware start the entry next time. False: the firmware refuses it, or does not store
 * it. Counts the write.
 */
bool nvram_boot_next(uint16_t number, unsigned *writes);

/*
 * volume_pending() and volume_set_pending() for a machine without a volume, booted over the
 * network. False: the number is not stored.
 */
unsigned nvram_pending(void);
bool nvram_set_pending(unsigned runs, unsigned *writes);

/*
 * Clear BootNext if it still is the entry that has just been started: some firmware does not clear
 * it.
 */
void nvram_clear_boot_next(void);

/* A mark that lasts until the machine is reset, and needs no space in the store. */
bool nvram_is_marked(void);
void nvram_mark(void);
