/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports in the firmware's variables. They outlive boot services; SetVariable raises an SMI on
 * many machines, and takes milliseconds: never in a window.
 */
#pragma once

#include "core/config/config.h"
#include "core/keep/saved_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a report may take: in all, and of one variable. 0: there is no room. `left` is what may be
 * used of the store. Boot services alive, it counts what the firmware can still win back.
 */
struct nvram_room {
	size_t bytes, part;
	uint64_t left;
};
struct nvram_room nvram_room(const struct config *config);

/* What may be used of the store now; false: the firmware does not report it. */
bool nvram_left(uint64_t *left);

/* A report is never longer, nor is a part of it. */
#define NVRAM_REPORT_MAX 32768u

/* The firmware's, to read and write reports in. */
extern const struct saved_variables nvram_variables;

/* The boot entry that started us; false where the firmware does not report it. */
bool nvram_entry(uint16_t *number);

/*
 * Does that entry lead to this image, or to the shim that has loaded it? Where a boot loader has
 * started it, the entry is the loader's, whose own default is likely to be another.
 */
bool nvram_entry_is_ours(uint16_t number);

/* Let the firmware start it next time. False: it does not take it, or has lost it. */
bool nvram_boot_next(uint16_t number, unsigned *writes);

/* As volume_pending(), where there is no volume: booted over the network. False: it is lost. */
unsigned nvram_pending(void);
bool nvram_set_pending(unsigned runs, unsigned *writes);

/* BootNext still is what has just been started: a firmware that does not clear it. */
void nvram_clear_boot_next(void);

/* A mark that lasts until the machine is reset, and takes nothing of the store. */
bool nvram_is_marked(void);
void nvram_mark(void);
