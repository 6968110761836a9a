/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a mode that works (core/config/mode.h) asks of a processor: pieces of fixed work. One that
 * has none has no such mode, and its isa.h names it in ISA_NO_MODES.
 */
#pragma once

#include "core/gaps/cpu.h"

#include <stddef.h>
#include <stdint.h>

struct work_room; /* of that mode */

/* What the kernels and that room need for so many cores; page-aligned memory. */
size_t arch_work_bytes(uint32_t cpus);

/*
 * Make that memory, which is all zeros, ready: the room is at its start. count: steps of the
 * calling core's counters since the last call; NULL: it has none.
 */
struct work_room *arch_work_lay(void *memory, uint32_t cpus,
				void (*count)(struct cpu *cpu, struct evidence *e));

/* On each core: strike from the room's kernels what it has not. */
void arch_work_find(struct work_room *s);
