/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables and exception handlers. */
#pragma once

#include "isa.h"
#include "percpu.h"

/* Memory for the IDTs that all cores share. */
#define TRAPS_BYTES (2u * 4096)

/* Fill them; `memory` is page-aligned. */
void traps_init(void *memory);

/* Load GDT, TSS with interrupt stacks, IDT and GS on the calling core. */
void traps_load(struct percpu *p);

/* The same without TSS: handlers run on the current stack. Undone by traps_restore(). */
void traps_load_borrowed(struct percpu *p);

/* Make the next NMI an exception, on whichever core with the tables of traps_load() it comes. */
void traps_fault_at_nmi(void);

/*
 * Descriptor tables, CS, SS, GS' base and the interrupt flag as found on a core, to be put back.
 * While tables change hands no interrupt may come, in no build.
 */
void traps_save(struct arch_borrowed *b);
void traps_restore(const struct arch_borrowed *b);
