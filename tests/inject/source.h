/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that take the core away: SMIs on x86, exceptions to level 2 or 3 on AArch64. */
#pragma once

#include "layout.h"
#include "plan.h"

/* Address of struct header, for truth.py: a page of memory that the firmware does not need. */
extern const uint64_t source_header_address;

/* Ticks per second of the clock that the log is in. */
uint64_t source_hz(void);
uint64_t source_now(void);

/* Ticks of what raises the next one, rounded down. */
uint64_t source_rearm_ticks(uint64_t ns);

/*
 * For PLAN_HANDLER: list the cores in header->core[].apic_id and return how many there are;
 * 0, with a line on the console: it cannot.
 */
uint32_t source_cores(struct header *header, const struct plan *plan);

/* Install a handler on each core, which works from header->core[i]. Call after source_cores(). */
EFI_STATUS source_install(struct header *header);

/* The last thing before the probe starts. */
EFI_STATUS source_arm(struct header *header, const struct plan *plan);
