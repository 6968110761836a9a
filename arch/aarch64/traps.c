/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions, at exception level 1 or 2. Source: Arm ARM (DDI 0487), D1.3; D17.2.37 (ESR). Handlers
 * run on the stack of the interrupted code: our code has a stack at every instruction. Software
 * step: D2.12; D19.3 (MDSCR_EL1, MDCR_EL2, OSLAR_EL1).
 */
#include "traps.h"

#include <stddef.h>

/* The kinds of exception that traps_entry.S passes. */
#define KIND_SYNC   0
#define KIND_SERROR 3

#define ESR_CLASS(esr) ((esr) >> 26 & 0x3f) /* EC */
#define CLASS_UNKNOWN  0x00u
#define CLASS_SYSREG   0x18u
#define CLASS_FETCH    0x21u
#define CLASS_PC       0x22u
#define CLASS_DATA     0x25u
#define CLASS_SP       0x26u
#define CLASS_STEP     0x33u /* software step, from the same level */
#define CLASS_BRK      0x3cu
#define CLASS_OTHER    0xffu

#define ESR_IMPLEMENTATION_DEFINED (UINT64_C(1) << 24) /* IDS: nothing else in it is defined */
#define ESR_SEVERITY(esr)          ((esr) >> 10 & 7)   /* AET */
#define SEVERITY_RESTARTABLE       2
#define SEVERITY_RECOVERABLE       3
#define SEVERITY_CORRECTED         6

#define MDSCR_SS  (UINT64_C(1) << 0)
#define MDSCR_KDE (UINT64_C(1) << 13) /* the level that takes debug exceptions has them itself */
#define MDCR_TDE  (UINT64_C(1) << 8)  /* debug exceptions go to level 2 */
#define SPSR_SS   (UINT64_C(1) << 21) /* one instruction, and then the exception */

_Static_assert(offsetof(struct trap_frame, elr) == FRAME_ELR, "offset used by assembly");
_Static_assert(offsetof(struct trap_frame, spsr) == FRAME_SPSR, "offset used by assembly");
_Static_assert(sizeof(struct trap_frame) == FRAME_BYTES, "offset used by assembly");
_Static_assert(offsetof(struct trap_escape, sp) == 96, "offset used by assembly");

extern const char vectors_level1[], vectors_level2[];
void trap_leave(const struct trap_escape *e, uint64_t daif) __attribute__((noreturn));
void trap_handler(struct trap_frame *f, uint64_t kind);

void arch_give_back(const struct arch_borrowed *b)
{
	own_write("vbar", b->vectors);
	own_write("tpidr", b->thread);
	isb();
	sysreg_write("daif", b->interrupts);
}

void traps_load(struct percpu *p)
{
	const char *vectors = current_el() == 2 ? vectors_level2 : vectors_level1;

	arch_mask_interrupts();
	own_write("tpidr", (uintptr_t)p);
	own_write("vbar", (uintptr_t)vectors);
	isb();
	/* Unmask SErrors: each is counted, whenever it comes. */
	__asm__ volatile("msr daifclr, #4" : : : "memory");
}

void traps_borrow(struct percpu *p, struct arch_borrowed *b)
{
	b->vectors = own_read("vbar");
	b->thread = own_read("tpidr");
	b->interrupts = sysreg_read("daif");
	traps_load(p);
}

/* The OS lock, which is set after a reset, keeps debug exceptions away. */
void trap_step_prepare(void *unused)
{
	(void)unused;
	__asm__ volatile("msr daifset, #8" : : : "memory");
	sysreg_write("oslar_el1", 0);
	if (current_el() == 2)
		sysreg_write("mdcr_el2", sysreg_read("mdcr_el2") | MDCR_TDE);
	sysreg_write("mdscr_el1", sysreg_read("mdscr_el1") | MDSCR_SS | MDSCR_KDE);
	isb();
}

static bool steps;

/* The first exception comes at once, as PSTATE.SS is 0. */
void trap_step_on(void)
{
	steps = true;
	__asm__ volatile("msr daifclr, #8" : : : "memory");
}

void trap_step_off(void)
{
	if (!steps)
		return;
	steps = false;
	__asm__ volatile("msr daifset, #8" : : : "memory");
	sysreg_write("mdscr_el1", sysreg_read("mdscr_el1") & ~(MDSCR_SS | MDSCR_KDE));
	isb();
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

static const struct class
{
	uint8_t class;
	bool has_address; /* FAR is valid */
	const char *name;
} classes[] = {
	{ CLASS_UNKNOWN, false, "undefined instruction" },
	{ CLASS_SYSREG, false, "trapped system register" },
	{ CLASS_FETCH, true, "instruction abort" },
	{ CLASS_PC, true, "misaligned PC" },
	{ CLASS_DATA, true, "data abort" },
	{ CLASS_SP, false, "misaligned SP" },
	{ CLASS_BRK, false, "BRK" },
	{ CLASS_OTHER, false, "exception" },
};

static __attribute__((cold)) struct record_fault fault_of(const struct trap_frame *f,
							  bool is_serror)
{
	const struct class *c = classes;

	while (c->class != ESR_CLASS(f->esr) && c->class != CLASS_OTHER)
		c++;
	return (struct record_fault){
		.kind = "exception",
		.what = is_serror ? "SError" : c->name,
		.syndrome = { f->esr, true },
		.pc = { f->elr, true },
		.address = { f->far, !is_serror && c->has_address },
	};
}

const int arch_firmware_faults[] = { KIND_SYNC, KIND_SERROR, -1 };

/* EFI_SYSTEM_CONTEXT_AARCH64: UEFI 2.10, 18.2.4. */
struct firmware_context {
	uint64_t x[31], sp;
	uint64_t v[32][2];
	uint64_t elr, spsr, fpsr, esr, far;
};

/* The handler does not restore SP from there: trap_leave() does. */
void arch_firmware_fault(unsigned vector, void *context, bool is_boot_core)
{
	struct firmware_context *c = context;
	const struct trap_frame f = { .elr = c->elr, .esr = c->esr, .far = c->far };
	struct record_fault fault = fault_of(&f, vector == KIND_SERROR);

	c->x[0] = (uintptr_t)trap_way_out(NULL, is_boot_core, &fault);
	c->x[1] = c->spsr;
	c->elr = (uintptr_t)trap_leave;
}

void trap_handler(struct trap_frame *f, uint64_t kind)
{
	struct percpu *p = percpu_self();
	const struct trap_escape *e;

	if (kind == KIND_SERROR && survive_serror(p, f->esr))
		return;
	if (kind == KIND_SYNC && ESR_CLASS(f->esr) == CLASS_STEP && trap_step_goes_on()) {
		f->spsr |= SPSR_SS;
		return;
	}
	p->fault = fault_of(f, kind == KIND_SERROR);
	e = trap_way_out(p, false, &p->fault);
	trap_step_off();
	trap_leave(e, f->spsr);
}
