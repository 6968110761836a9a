/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions, at exception level 1 or 2. Source: Arm ARM (DDI 0487), D1.3; D17.2.37 (ESR).
 * Handlers run on the stack of what they interrupt: code of ours has one at every instruction.
 */
#include "traps.h"

#include "core/lib/text.h"

#include <stddef.h>

/* As vectors.S passes them. */
#define KIND_SYNC   0
#define KIND_SERROR 3

#define ESR_IMPLEMENTATION_DEFINED (UINT64_C(1) << 24) /* IDS: nothing else in it is defined */
#define ESR_SEVERITY(esr)          ((esr) >> 10 & 7)   /* AET */
#define SEVERITY_RESTARTABLE       2
#define SEVERITY_RECOVERABLE       3
#define SEVERITY_CORRECTED         6

_Static_assert(offsetof(struct trap_frame, elr) == FRAME_ELR, "offset used by assembly");
_Static_assert(offsetof(struct trap_frame, spsr) == FRAME_SPSR, "offset used by assembly");
_Static_assert(sizeof(struct trap_frame) == FRAME_BYTES, "offset used by assembly");
_Static_assert(offsetof(struct trap_escape, sp) == 96, "offset used by assembly");

extern const char vectors_level1[], vectors_level2[];
void trap_leave(const struct trap_escape *e, uint64_t daif) __attribute__((noreturn));
void trap_handler(struct trap_frame *f, uint64_t kind);

void traps_save(struct traps_saved *s)
{
	s->vectors = own_read("vbar");
	s->thread = own_read("tpidr");
	s->daif = sysreg_read("daif");
}

void traps_restore(const struct traps_saved *s)
{
	own_write("vbar", s->vectors);
	own_write("tpidr", s->thread);
	isb();
	sysreg_write("daif", s->daif);
}

void traps_load(struct percpu *p)
{
	const char *vectors = current_el() == 2 ? vectors_level2 : vectors_level1;

	arch_mask_interrupts();
	own_write("tpidr", (uintptr_t)p);
	own_write("vbar", (uintptr_t)vectors);
	isb();
	/* An SError comes when it does: it is counted. */
	__asm__ volatile("msr daifclr, #4" : : : "memory");
}

/* Count an SError and go on, if the processor reports that it can (FEAT_RAS). */
static bool survive_serror(struct percpu *p, uint64_t esr)
{
	uint64_t severity = ESR_SEVERITY(esr);

	p->mce_count++;
	return !(esr & ESR_IMPLEMENTATION_DEFINED) &&
	       (severity == SEVERITY_RESTARTABLE || severity == SEVERITY_RECOVERABLE ||
		severity == SEVERITY_CORRECTED);
}

void trap_handler(struct trap_frame *f, uint64_t kind)
{
	struct percpu *p = percpu_self();

	if (kind == KIND_SERROR && survive_serror(p, f->esr))
		return;
	if (!p->escape)
		arch_halt();
	p->fault = *f;
	trap_leave(p->escape, f->spsr);
}

const char *arch_fault_text(const struct cpu *cpu)
{
	static char buffer[160];
	const struct percpu *p = (const struct percpu *)((uintptr_t)cpu->nmi_count -
							 offsetof(struct percpu, nmi_count));
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "exception class 0x%x, ESR 0x%llx, at 0x%llx, FAR 0x%llx",
		 (unsigned)(p->fault.esr >> 26 & 0x3f), (unsigned long long)p->fault.esr,
		 (unsigned long long)p->fault.elr, (unsigned long long)p->fault.far);
	return buffer;
}
