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
 * The bytes that a report may take; 0: the store is full. `left` is the part of the store that may
 * be used. While boot services live, it includes what the firmware can still reclaim.
 */
struct nvram_room {
	size_t bytes;
	uint64_t left;
};
struct nvram_room nvram_room(void);

/* Bytes of the store that may be used now. False: the firmware does not report it. */
bool nvram_left(uint64_t *left);

/*
 * The store is the firmware's, and small. EDK II cannot compact it while an operating system runs:
 * there each write costs its full size until the next start (MdeModulePkg, Variable.c, "not
 * allowed to be reclaimed in Runtime"). So it is not filled by checkpoints.
 */

/* Bytes that a report of `bytes` takes from the store. */
size_t nvram_cost(size_t bytes);

/* Usable bytes of a store of `all` bytes with `left` free: a quarter of it stays free. */
uint64_t nvram_usable(uint64_t all, uint64_t left);

/*
 * Number of further checkpoints of `bytes` bytes that leave room for the last report, which may be
 * twice as long. `left`: usable bytes; `most`: bytes of the longest report.
 */
uint64_t nvram_checkpoints(uint64_t left, size_t bytes, size_t most);

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
