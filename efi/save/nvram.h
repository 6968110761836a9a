/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports in the firmware's variables. They outlive boot services; SetVariable raises an SMI on
 * many machines, and takes milliseconds: never in a window.
 */
#pragma once

#include "core/records/compact_pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a report may take: in all, and of one variable. 0: there is no room. */
struct nvram_room {
	size_t bytes, part;
};
struct nvram_room nvram_room(void);

/* A report is never longer, nor is a part of it. */
#define NVRAM_REPORT_MAX 32768u

/*
 * Write a report that fits; `part` is scratch for `part_bytes`. NULL, or why not. *writes goes up
 * by the variables written.
 */
const char *nvram_write(const void *report, size_t bytes, void *part, size_t part_bytes,
			unsigned *writes);

/*
 * Read what is there: COMPACT_OVER for nothing. `out` has room for COMPACT_PARTS *
 * NVRAM_REPORT_MAX; *bytes of it are used. `part` is scratch for NVRAM_REPORT_MAX.
 */
enum compact_state nvram_read(void *out, void *part, size_t *bytes);

/* Remove it, the first part first: what is left then is no report. False: some of it stays. */
bool nvram_delete(void);

/* The boot entry that started us; false where the firmware does not report it. */
bool nvram_entry(uint16_t *number);

/* Let the firmware start it next time. */
bool nvram_boot_next(uint16_t number, unsigned *writes);

/* BootNext still is what has just been started: a firmware that does not clear it. */
void nvram_clear_boot_next(void);

/* A mark that lasts until the machine is reset, and takes nothing of the store. */
bool nvram_is_marked(void);
void nvram_mark(void);
