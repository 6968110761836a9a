/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over and starting the other cores. Source: Intel SDM vol. 3, 8.4.4
 * (INIT-SIPI-SIPI); ACPI MADT types 4 and 0xA for the wiring of NMI.
 *
 * All cores are started at once. A core whose start-up IPI lands while it is in
 * SMM loses it, so those that do not answer get one more round.
 */
#include "apic.h"
#include "arch/arch.h"
#include "arch/members.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "paging.h"
#include "percpu.h"
#include "trampoline.h"
#include "traps.h"

#include <stdatomic.h>

#define INIT_WAIT_US    10000
#define STARTUP_WAIT_US 200
#define PAGE_BYTES      4096u

static struct {
	struct arch_setup setup;
	struct percpu *percpu;
	uint32_t *ids;    /* apic_id by index, for the trampoline */
	uint64_t *stacks; /* initial stack pointer by index, for the trampoline */
	uint8_t *low_page;
	struct paging_spare tables;
	uint32_t firmwares[APIC_FIRMWARES];
	uint32_t lint[2]; /* the boot core's LVT entries, as the firmware left them */
} team;

static struct paging_memory memory_of(const struct arch_setup *s)
{
	return (struct paging_memory){ paging_levels(), s->top, s->share, s->map };
}

void arch_plan_memory(struct arch_memory *m, const struct arch_setup *s)
{
	const struct paging_memory memory = memory_of(s);
	size_t core = sizeof(*team.percpu) + sizeof(*team.stacks) + sizeof(*team.ids);

	m->needs_low_page = s->cpus > 1;
	m->table_bytes = paging_bytes(&memory) + DEVICE_TABLES * PAGE_BYTES;
	m->core_bytes = TRAPS_BYTES + s->cpus * core;
}

static void wait_us(uint64_t us)
{
	uint64_t start = clock_now();
	uint64_t ticks = ticks_from_ns(us * 1000, team.setup.hz);

	while (clock_now() - start < ticks)
		clock_relax();
}

/* Find the core's LINT pins that are NMI inputs, by the MADT and by what the firmware left. */
static struct apic_nmi choose_nmi(uint32_t index)
{
	const struct acpi_info *acpi = team.setup.acpi;
	const struct acpi_cpu *cpu = acpi_find_cpu(acpi, team.percpu[index].cpu->apic_id);
	bool named[2] = { false };

	for (uint32_t i = 0; i < acpi->nmi_count; i++) {
		const struct acpi_nmi *n = &acpi->nmi[i];

		if ((n->all_cpus || (cpu && n->uid == cpu->uid)) && n->lint < 2)
			named[n->lint] = true;
	}
	return apic_choose_nmi(named, team.lint, index == 0);
}

/* Report how external NMIs, which go to the boot core, are wired. */
static void remark_nmi(void)
{
	struct apic_nmi nmi = choose_nmi(0);
	TEXT_DEFINE(t, 200);

	team.setup.cpu[0].blind.nmi = !nmi.known;
	if (!nmi.why)
		return;
	text_add(&t, "NMIs reach the boot core %s (LVT of LINT0 0x%x, LINT1 0x%x)", nmi.why,
		 team.lint[0], team.lint[1]);
	team.setup.remark(t.buf);
}

static void own_core(uint32_t index)
{
	traps_load(&team.percpu[index]);
	write_cr4(read_cr4() | CR4_MCE);
	apic_enable();
	if (index == 0)
		apic_save_firmwares(team.firmwares);
	else
		apic_copy_firmwares(team.firmwares);
	apic_wire_nmi(choose_nmi(index).on);
}

void arch_setup_cores(const struct arch_memory *m, const struct arch_setup *s)
{
	team.setup = *s;
	members_init(&team.setup);
	team.tables = (struct paging_spare){ m->tables, m->table_bytes / PAGE_BYTES };
	team.percpu = (struct percpu *)(void *)((uint8_t *)m->cores + TRAPS_BYTES);
	team.low_page = m->low_page;
	memset(m->cores, 0, m->core_bytes);
	team.stacks = (uint64_t *)(void *)(team.percpu + s->cpus);
	team.ids = (uint32_t *)(void *)(team.stacks + s->cpus);
	for (uint32_t i = 0; i < s->cpus; i++) {
		struct percpu *p = &team.percpu[i];

		p->cpu = &s->cpu[i];
		s->cpu[i].nmi.count = &p->nmi_count;
		s->cpu[i].mce.count = &p->mce_count;
		team.ids[i] = s->cpu[i].apic_id;
		team.stacks[i] = (uintptr_t)p->stack + STACK_BYTES;
	}
	traps_init(m->cores);
	apic_init(rdmsr(MSR_APIC_BASE), s->hz);
	apic_save_lints(team.lint);
	remark_nmi();
}

void arch_borrow(uint32_t position, struct arch_borrowed *b)
{
	traps_borrow(&team.percpu[position], b);
	b->cr4 = read_cr4();
	apic_save_lints(b->lint);
	if (!team.setup.only_reads) {
		write_cr4(b->cr4 | CR4_MCE);
		apic_wire_nmi(choose_nmi(position).on);
	}
	arch_mask_interrupts();
}

void arch_give_back(const struct arch_borrowed *b)
{
	if (!team.setup.only_reads) {
		apic_restore_lints(b->lint);
		write_cr4(b->cr4);
	}
	traps_restore(b);
}

void arch_take_over(void)
{
	const struct paging_memory memory = memory_of(&team.setup);
	uint64_t root = paging_build(&memory, &team.tables);

	paging_device_tables(root, team.tables);
	write_cr3(root);
	own_core(0);
	members_take_over();
}

/* Entry point of a started core, which stays here for good. */
static void core_main(uint32_t index)
{
	own_core(index);
	arch_serve(team.percpu[index].cpu);
	arch_halt();
}

static void put64(uint32_t offset, uint64_t value)
{
	memcpy(team.low_page + offset, &value, sizeof(value));
}

/* Add the page's address to a 32-bit word of the copied code. */
static void move32(const char *place)
{
	uint8_t *at = team.low_page + (place - trampoline_begin);
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	value += (uint32_t)(uintptr_t)team.low_page;
	memcpy(at, &value, sizeof(value));
}

static void fill_trampoline(void)
{
	uint64_t efer = rdmsr(MSR_EFER) & (EFER_LME | EFER_NXE);
	uint64_t apic_base = rdmsr(MSR_APIC_BASE);

	memcpy(team.low_page, trampoline_begin, (size_t)(trampoline_end - trampoline_begin));
	move32(trampoline_far_pointer);
	move32(trampoline_gdt_base);
	put64(TRAMPOLINE_CR3, read_cr3());
	put64(TRAMPOLINE_CR4, CR4_PAE | (read_cr4() & CR4_LA57));
	put64(TRAMPOLINE_EFER, efer);
	put64(TRAMPOLINE_APIC, apic_base & APIC_BASE_X2APIC ? 0 : apic_base & APIC_BASE_MASK);
	put64(TRAMPOLINE_IDS, (uintptr_t)team.ids);
	put64(TRAMPOLINE_COUNT, team.setup.cpus);
	put64(TRAMPOLINE_STACKS, (uintptr_t)team.stacks);
	put64(TRAMPOLINE_ENTRY, (uintptr_t)core_main);
}

/* Send one round of INIT-SIPI-SIPI to all cores that have not answered. */
static bool start_round(uint32_t wait_ms)
{
	uint8_t page = (uint8_t)((uintptr_t)team.low_page >> 12);

	for (uint32_t i = 1; i < team.setup.cpus; i++) {
		team.percpu[i].reset = members_absent(i);
		if (team.percpu[i].reset)
			apic->send(team.ids[i], APIC_INIT);
	}
	wait_us(INIT_WAIT_US);
	/* A core that answered the last round only now has been reset, too: it is absent again. */
	for (uint32_t i = 1; i < team.setup.cpus; i++)
		if (team.percpu[i].reset)
			atomic_store(&team.setup.cpu[i].state, CPU_ABSENT);
	for (unsigned twice = 0; twice < 2; twice++) {
		for (uint32_t i = 1; i < team.setup.cpus; i++)
			if (members_absent(i))
				apic->send(team.ids[i], APIC_STARTUP | page);
		wait_us(STARTUP_WAIT_US);
	}
	return members_answered(wait_ms);
}

uint64_t arch_start_cores(void)
{
	uint64_t start = clock_now();
	uint64_t ticks;
	bool all;

	if (team.setup.cpus < 2)
		return 0;
	fill_trampoline();
	all = start_round(MEMBERS_SOON_MS) || start_round(MEMBERS_LATE_MS);
	ticks = clock_now() - start;
	if (!all)
		members_complain("two rounds of INIT-SIPI-SIPI");
	return ticks;
}

static void send_nmi(const struct cpu *cpu)
{
	apic->send(cpu->apic_id, APIC_NMI);
}

void (*const arch_send_nmi)(const struct cpu *cpu) = send_nmi;

static void break_off(const struct cpu *cpu)
{
	traps_fault_at_nmi();
	apic->send(cpu->apic_id, APIC_NMI);
}

void (*const arch_break_off)(const struct cpu *cpu) = break_off;

void arch_wake(const struct cpu *cpu)
{
	apic->send(cpu->apic_id, APIC_WAKE);
}

#define ECX_XSAVE  (1u << 26) /* CPUID.01H */
#define ECX_AVX    (1u << 28)
#define LEAF_XSAVE 0xdu
#define XCR0_AVX   0x7u /* x87, SSE and AVX state */

/* SDM vol. 1, 13.3 "Enabling the XSAVE Feature Set". */
void arch_enable_vectors(void)
{
	const uint32_t wanted = ECX_XSAVE | ECX_AVX;

	if ((cpuid(1, 0).ecx & wanted) != wanted ||
	    (regs_leaf(&regs_real, LEAF_XSAVE, 0).eax & XCR0_AVX) != XCR0_AVX)
		return;
	write_cr4(read_cr4() | CR4_OSFXSR | CR4_OSXSAVE);
	__asm__ volatile("xsetbv" : : "c"(0), "a"(read_xcr0() | XCR0_AVX), "d"(0));
}
