/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables and exception handlers. */
#pragma once

#include "asm.h"
#include "percpu.h"

#include <stdint.h>

/* Memory for the IDTs that all cores share. */
#define TRAPS_BYTES (2u * 4096)

/* Fill them; `memory` is page-aligned. */
void traps_init(void *memory);

/* Load GDT, TSS with interrupt stacks, IDT and GS on the calling core. */
void traps_load(struct percpu *p);

/* The same without TSS: handlers run on the current stack. Undone by traps_restore(). */
void traps_load_borrowed(struct percpu *p);

/* Descriptor tables, CS, SS and GS' base as found on a core, to be put back. */
struct traps_saved {
	uint8_t gdtr[10], idtr[10];
	uint16_t cs, ss;
	uint64_t gs_base;
};

/* While tables change hands no interrupt may come, in no build. Returns whether one could. */
static inline bool traps_disable_interrupts(void)
{
	bool were_on = read_flags() & FLAGS_IF;

	__asm__ volatile("cli" : : : "memory");
	return were_on;
}

void traps_save(struct traps_saved *s);
void traps_restore(const struct traps_saved *s);
