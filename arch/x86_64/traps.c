/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps. Source: Intel SDM vol. 3, chapter 6. #MC and #DF have stacks of their own, so that they
 * can be taken whatever the interrupted code did. NMI has none: if the handler of an SMI or #MC
 * ends with IRET within ours, the next NMI comes at once (34.8), and a stack that starts anew each
 * time would overwrite the frame of the first. Our own code has a stack at every instruction.
 */
#include "traps.h"

#include "apic.h"
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "regs.h"

#include <stddef.h>

#define VECTORS    256
#define VECTOR_DB  1
#define VECTOR_NMI 2
#define VECTOR_DF  8
#define VECTOR_PF  14
#define VECTOR_MC  18

/* Interrupt stack table slots, from 1; 0 keeps the current stack. */
#define IST_MC 1
#define IST_DF 2

#define HLT_BYTES 1

#define GATE_INTERRUPT 0x8e00u /* present, ring 0, 64-bit interrupt gate */

#define MSR_MCG_STATUS  0x17a
#define MCG_STATUS_RIPV (UINT64_C(1) << 0)
#define MCG_STATUS_MCIP (UINT64_C(1) << 2)

#define PIC_PRIMARY   0x20 /* 8259A command ports */
#define PIC_SECONDARY 0xa0
#define PIC_EOI       0x20

#define DESCRIPTOR_CODE UINT64_C(0x00af9b000000ffff) /* 64-bit, ring 0, accessed */
#define DESCRIPTOR_DATA UINT64_C(0x00cf93000000ffff)
#define DESCRIPTOR_TSS  UINT64_C(0x0000890000000000) /* available 64-bit TSS */

_Static_assert(offsetof(struct percpu, self) == PERCPU_SELF, "offset used by assembly");
_Static_assert(offsetof(struct percpu, nmi_count) == PERCPU_NMI_COUNT, "offset used by assembly");
_Static_assert(offsetof(struct percpu, nmi_tsc) == PERCPU_NMI_TSC, "offset used by assembly");
_Static_assert(offsetof(struct trap_escape, rip) == 56, "offset used by assembly");
_Static_assert(TRAP_WAKE == APIC_WAKE_VECTOR, "vector used by assembly");

struct gate {
	uint16_t offset_low, selector, flags, offset_middle;
	uint32_t offset_high, reserved;
};

#define SELECTOR_INDEX  0xfff8u
#define DESCRIPTOR_TYPE 5 /* byte of a descriptor: SDM vol. 3, 3.4.5 */
#define TYPE_ACCESSED   0x01u

struct table_pointer {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

_Static_assert(sizeof(struct table_pointer) == 10, "as LGDT reads it");

struct extable_row {
	int32_t insn, fixup; /* from the address of the row */
};

extern const char arch_sleep_halt[]; /* the HLT of arch_sleep() */
extern const char trap_entries[];    /* stubs of 16 bytes: exceptions, our interrupt, any other */
extern const struct extable_row extable_begin[], extable_end[];
void trap_entry_nmi(void);
void trap_handler(struct trap_frame *f);
void trap_leave(const struct trap_escape *e) __attribute__((noreturn));

/*
 * Two tables. Cores borrowed from the firmware have no stacks of our own: the task register, once
 * loaded, could not be emptied again, and EDK2 fails if the task register is loaded by others.
 */
static struct gate *idt, *own_idt;

_Static_assert(2 * VECTORS * sizeof(*idt) == TRAPS_BYTES, "room for both");

static void set_gate(struct gate *gate, uintptr_t entry, unsigned ist)
{
	*gate = (struct gate){
		.offset_low = (uint16_t)entry,
		.selector = GDT_CODE,
		.flags = (uint16_t)(GATE_INTERRUPT | ist),
		.offset_middle = (uint16_t)(entry >> 16),
		.offset_high = (uint32_t)(entry >> 32),
	};
}

static uintptr_t entry_of(unsigned vector)
{
	unsigned stub = vector < TRAP_EXCEPTIONS ? vector
			: vector == TRAP_WAKE    ? TRAP_EXCEPTIONS
						 : TRAP_EXCEPTIONS + 1;

	return (uintptr_t)trap_entries + stub * 16;
}

void traps_init(void *memory)
{
	idt = memory;
	own_idt = idt + VECTORS;
	for (unsigned v = 0; v < VECTORS; v++)
		set_gate(&idt[v], entry_of(v), 0);
	set_gate(&idt[VECTOR_NMI], (uintptr_t)trap_entry_nmi, 0);
	memcpy(own_idt, idt, VECTORS * sizeof(*idt));
	set_gate(&own_idt[VECTOR_MC], entry_of(VECTOR_MC), IST_MC);
	set_gate(&own_idt[VECTOR_DF], entry_of(VECTOR_DF), IST_DF);
}

void traps_fault_at_nmi(void)
{
	set_gate(&own_idt[VECTOR_NMI], entry_of(VECTOR_NMI), 0);
}

static void fill_gdt(struct percpu *p)
{
	uint64_t tss = (uintptr_t)&p->tss;

	p->gdt[0] = 0;
	p->gdt[GDT_CODE / 8] = DESCRIPTOR_CODE;
	p->gdt[GDT_DATA / 8] = DESCRIPTOR_DATA;
	p->gdt[GDT_TSS / 8] = DESCRIPTOR_TSS | (sizeof(p->tss) - 1) | (tss & 0xffffff) << 16 |
			      (tss >> 24 & 0xff) << 56;
	p->gdt[GDT_TSS / 8 + 1] = tss >> 32;
}

/*
 * Load CS and SS, which IRETQ loads again. The other selectors mean nothing in 64-bit mode and are
 * kept: the firmware's may not be in its own table any more (U-Boot's FS), and could not be
 * restored.
 */
static void load_segments(const struct table_pointer *gdtr, uint64_t code, uint32_t stack)
{
	__asm__ volatile("lgdt %0\n"
			 "pushq %1\n"
			 "leaq 1f(%%rip), %%rax\n"
			 "pushq %%rax\n"
			 "lretq\n"
			 "1:	movl %2, %%ss\n"
			 :
			 : "m"(*gdtr), "r"(code), "r"(stack)
			 : "rax", "memory");
}

static void empty_data_segments(void)
{
	__asm__ volatile("movl %0, %%ds\n"
			 "movl %0, %%es\n"
			 "movl %0, %%fs\n"
			 "movl %0, %%gs\n"
			 :
			 : "r"(0));
}

static void load_tables(struct percpu *p, const struct gate *table)
{
	struct table_pointer gdtr = { sizeof(p->gdt) - 1, (uintptr_t)p->gdt };
	struct table_pointer idtr = { VECTORS * sizeof(*table) - 1, (uintptr_t)table };

	fill_gdt(p);
	p->self = p;
	load_segments(&gdtr, GDT_CODE, GDT_DATA);
	wrmsr(MSR_GS_BASE, (uintptr_t)p);
	__asm__ volatile("lidt %0" : : "m"(idtr) : "memory");
}

void traps_load(struct percpu *p)
{
	memset(&p->tss, 0, sizeof(p->tss));
	for (unsigned i = 0; i < IST_STACKS; i++)
		p->tss.ist[i] = (uintptr_t)p->ist_stack[i] + IST_STACK_BYTES;
	p->tss.io_map = sizeof(p->tss);
	empty_data_segments();
	load_tables(p, own_idt);
	__asm__ volatile("ltr %w0" : : "r"(GDT_TSS) : "memory");
}

void traps_borrow(struct percpu *p, struct arch_borrowed *b)
{
	b->interrupts = read_flags() & FLAGS_IF;
	__asm__ volatile("cli" : : : "memory");
	__asm__ volatile("sgdt %0" : "=m"(b->gdtr));
	__asm__ volatile("sidt %0" : "=m"(b->idtr));
	__asm__ volatile("mov %%cs, %0" : "=rm"(b->cs));
	__asm__ volatile("mov %%ss, %0" : "=rm"(b->ss));
	b->gs_base = rdmsr(MSR_GS_BASE);
	load_tables(p, idt);
}

/*
 * A load sets the segment's accessed bit. U-Boot's GDT is in ROM with the bit clear, where KVM
 * repeats the load for ever; in 64-bit mode SS may as well be null (SDM vol. 2, MOV).
 */
static uint32_t loadable_stack(const struct table_pointer *gdtr, uint16_t ss)
{
	const uint8_t *table = (const void *)(uintptr_t)gdtr->base;

	return table[(ss & SELECTOR_INDEX) + DESCRIPTOR_TYPE] & TYPE_ACCESSED ? ss : 0;
}

void traps_restore(const struct arch_borrowed *b)
{
	struct table_pointer gdtr;

	__asm__ volatile("cli" : : : "memory");
	memcpy(&gdtr, b->gdtr, sizeof(gdtr));
	load_segments(&gdtr, b->cs, loadable_stack(&gdtr, b->ss));
	wrmsr(MSR_GS_BASE, b->gs_base);
	__asm__ volatile("lidt %0" : : "m"(b->idtr) : "memory");
	if (b->interrupts)
		__asm__ volatile("sti" : : : "memory");
}

static bool fix_up(struct trap_frame *f)
{
	for (const struct extable_row *r = extable_begin; r < extable_end; r++) {
		if ((uintptr_t)&r->insn + (uintptr_t)(intptr_t)r->insn == f->rip) {
			/* The row's second word is relative to the row too. */
			f->rip = (uintptr_t)r + (uintptr_t)(intptr_t)r->fixup;
			return true;
		}
	}
	return false;
}

/* Count a machine check and go on, if the processor reports that it can. */
static bool survive_machine_check(struct percpu *p)
{
	uint64_t status;

	p->mce_count++;
	if (!regs_msr_read(MSR_MCG_STATUS, &status) || !(status & MCG_STATUS_RIPV))
		return false;
	return regs_msr_write(MSR_MCG_STATUS, status & ~MCG_STATUS_MCIP);
}

/*
 * Only arch_sleep() lets an interrupt in while they are masked, and must not sleep again after it.
 * An interrupt other than its own is acknowledged, wherever it came from, so that the next one can
 * arrive.
 */
static void interrupted(struct trap_frame *f)
{
	apic->write(APIC_EOI, 0);
	if (f->rip == (uintptr_t)arch_sleep_halt)
		f->rip += HLT_BYTES;
	if (f->vector == APIC_WAKE_VECTOR)
		return;
	arch_out8(PIC_SECONDARY, PIC_EOI);
	arch_out8(PIC_PRIMARY, PIC_EOI);
}

/* SDM vol. 3, 17.3.1.4: RFLAGS.TF. An SMI's handler and our own run at full speed. */
void trap_step_prepare(void *unused)
{
	(void)unused;
}

void trap_step_on(void)
{
	write_flags(read_flags() | FLAGS_TF);
}

void trap_step_off(void)
{
	write_flags(read_flags() & ~FLAGS_TF);
}

static void escape(struct trap_frame *f, const struct trap_escape *e)
{
	f->rflags &= ~FLAGS_TF;
	f->rbx = e->rbx;
	f->rbp = e->rbp;
	f->r12 = e->r12;
	f->r13 = e->r13;
	f->r14 = e->r14;
	f->r15 = e->r15;
	f->rsp = e->rsp;
	f->rip = e->rip;
}

/*
 * Exceptions by SDM vol. 3, table 6-1: row(vector, name, has an error code). Those that software
 * faults never raise have no name.
 */
/* clang-format off */
#define FIRMWARE_FAULTS(row)                                                    \
	row(0, "divide error", false)    row(6, "invalid opcode", false)        \
	row(8, "double fault", true)     row(10, "invalid TSS", true)           \
	row(11, "segment not present", true) row(12, "stack fault", true)       \
	row(13, "general protection", true)  row(14, "page fault", true)        \
	row(16, "x87 error", false)      row(17, "alignment check", true)       \
	row(19, "SIMD error", false)
#define FAULTS(row)                                                             \
	FIRMWARE_FAULTS(row)                                                    \
	row(7, "no coprocessor", false)  row(18, "machine check", false)
/* clang-format on */

static const struct exception {
	const char *name;
	bool has_error;
} exceptions[TRAP_EXCEPTIONS] = {
#define ROW(vector, name, has_error) [vector] = { name, has_error },
	FAULTS(ROW)
};

static __attribute__((cold)) struct record_fault fault_of(const struct trap_frame *f, uint64_t cr2)
{
	/* NMI is an exception only after traps_fault_at_nmi(). */
	bool is_late = f->vector == VECTOR_NMI;
	const struct exception *e = &exceptions[f->vector % TRAP_EXCEPTIONS];
	const char *name = e->name ? e->name : "exception";

	return (struct record_fault){
		.kind = is_late ? "wait" : "exception",
		.what = is_late ? "the next step" : name,
		.vector = { f->vector, true },
		.syndrome = { f->error, e->has_error },
		.pc = { f->rip, true },
		.address = { cr2, f->vector == VECTOR_PF },
	};
}

#define NUMBER(vector, name, has_error) vector,
const int arch_firmware_faults[] = { FIRMWARE_FAULTS(NUMBER) - 1 };

/* EFI_SYSTEM_CONTEXT_X64: UEFI 2.10, 18.2.4. */
struct firmware_context {
	uint64_t error;
	uint8_t fx_save[512];
	uint64_t dr[6];
	uint64_t cr0, cr1, cr2, cr3, cr4, cr8;
	uint64_t rflags, ldtr, tr, gdtr[2], idtr[2];
	uint64_t rip, gs, fs, es, ds, cs, ss;
	uint64_t rdi, rsi, rbp, rsp, rbx, rdx, rcx, rax;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/* EDK II does not restore RBP from there: trap_leave() does. */
void arch_firmware_fault(unsigned vector, void *context, bool is_boot_core)
{
	struct firmware_context *c = context;
	const struct trap_frame f = { .vector = vector, .error = c->error, .rip = c->rip };
	struct record_fault fault = fault_of(&f, c->cr2);

	c->rdi = (uintptr_t)trap_way_out(NULL, is_boot_core, &fault);
	c->rip = (uintptr_t)trap_leave;
}

void trap_handler(struct trap_frame *f)
{
	struct percpu *p = percpu_self();

	if (f->vector >= TRAP_EXCEPTIONS) {
		interrupted(f);
		return;
	}
	if (f->vector == VECTOR_DB && trap_step_goes_on())
		return;
	if (f->vector == VECTOR_MC && survive_machine_check(p))
		return;
	if (f->vector == VECTOR_NMI)
		set_gate(&own_idt[VECTOR_NMI], (uintptr_t)trap_entry_nmi, 0);
	else if (fix_up(f))
		return;
	p->fault = fault_of(f, read_cr2());
	escape(f, trap_way_out(p, false, &p->fault));
}
