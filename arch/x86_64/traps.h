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

/* From now on, an NMI on a core with the tables of traps_load() is reported as an exception. */
void traps_fault_at_nmi(void);

/*
 * Save a core's descriptor tables, CS, SS, GS base and interrupt flag, then traps_load() without a
 * TSS: handlers run on the current stack. traps_restore() undoes it. Interrupts are disabled in
 * between, in all builds: none may come while tables change.
 */
void traps_borrow(struct percpu *p, struct arch_borrowed *b);
void traps_restore(const struct arch_borrowed *b);
