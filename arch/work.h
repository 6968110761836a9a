/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What mode=stretch asks of a processor: pieces of fixed work. One that has none has no such mode,
 * and its isa.h names it in ISA_NO_MODES.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/modes/stretch/stretch_room.h"

#include <stddef.h>
#include <stdint.h>

/* What the kernels need for so many cores; page-aligned memory. */
size_t arch_stretch_bytes(uint32_t cpus);

/*
 * Make that memory ready, and fill in *s what is the processor's. count: steps of the calling
 * core's counters since the last call; NULL: it has none.
 */
void arch_stretch_lay(struct stretch_room *s, void *memory, uint32_t cpus,
		      void (*count)(struct cpu *cpu, struct evidence *e));

/* On each core: strike from s->kernels what it has not. */
void arch_stretch_find(struct stretch_room *s);
