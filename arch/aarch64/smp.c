/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over and starting the other cores, by PSCI, all at once. Sources: Arm DEN0022 (PSCI);
 * Arm ARM (DDI 0487), D8 (translation), D7.5 (caches and memory that is read without them).
 */
#include "arch/arch.h"
#include "arch/members.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "smccc.h"
#include "traps.h"

#include <stddef.h>

#define PSCI_CPU_ON  0xc4000003u        /* 5.6 */
#define AFFINITY_LOW UINT64_C(0xffffff) /* Aff2 to Aff0 */

_Static_assert(offsetof(struct start, entry) == START_ENTRY, "offset used by assembly");
_Static_assert(offsetof(struct start, stack) == START_STACK, "offset used by assembly");
_Static_assert(offsetof(struct start, hcr) == START_HCR, "offset used by assembly");

extern const char start_core[], start_core_end[];

static struct {
	struct arch_setup setup;
	struct percpu *percpu;
} team;

static uint64_t mpidr_of(uint32_t id)
{
	return (id & AFFINITY_LOW) | (uint64_t)(id >> 24) << 32;
}

void arch_plan_memory(struct arch_memory *m, const struct arch_setup *s)
{
	m->table_bytes = 0;
	m->core_bytes = s->cpus * sizeof(struct percpu);
}

void arch_setup_cores(const struct arch_memory *m, const struct arch_setup *s)
{
	team.setup = *s;
	team.percpu = m->cores;
	memset(m->cores, 0, m->core_bytes);
	for (uint32_t i = 0; i < s->cpus; i++) {
		struct percpu *p = &team.percpu[i];

		p->cpu = &s->cpu[i];
		s->cpu[i].nmi.count = &p->nmi_count;
		s->cpu[i].mce.count = &p->mce_count;
	}
	members_init(&team.setup);
	smccc_init(s->acpi);
}

void arch_borrow(uint32_t position, struct arch_borrowed *b)
{
	traps_borrow(&team.percpu[position], b);
}

/* The page tables stay in use: their memory gets no other owner. */
void arch_take_over(void)
{
	traps_load(&team.percpu[0]);
	members_take_over();
}

/* Entry point of a started core, which stays here for good. */
static void core_main(uint64_t index)
{
	traps_load(&team.percpu[index]);
	arch_serve(team.percpu[index].cpu);
	arch_halt();
}

static void smp_prepare(struct percpu *p, uint32_t index)
{
	bool level2 = current_el() == 2;

	p->start = (struct start){
		.mair = own_read("mair"),
		.tcr = own_read("tcr"),
		.ttbr = own_read("ttbr0"),
		.sctlr = own_read("sctlr"),
		.hcr = level2 ? sysreg_read("hcr_el2") : 0,
		/* The offset is undefined after a reset, and lowers the clock. */
		.voff = level2 ? sysreg_read("cntvoff_el2") : 0,
		.stack = (uintptr_t)p->stack + STACK_BYTES,
		.index = index,
		.entry = (uintptr_t)core_main,
	};
	/* A core that starts does not use its caches yet. */
	cache_lines("cvac", &p->start, &p->start + 1);
}

/* Do not wait for a core that tables list, but that PSCI does not know. */
static void smp_refuse(uint32_t i, int32_t error)
{
	const struct cpu *cpu = &team.setup.cpu[i];
	TEXT_DEFINE(t, 160);

	if (!members_leave_out(i))
		return;
	text_add(&t, "cpu %u (MPIDR 0x%llx) is refused by PSCI's CPU_ON: error %d; it is left out",
		 (unsigned)cpu->index, (unsigned long long)mpidr_of(cpu->apic_id), (int)error);
	team.setup.complain(t.buf);
}

static void switch_on(void *ctx)
{
	int32_t error;

	(void)ctx;
	for (uint32_t i = 1; i < team.setup.cpus; i++) {
		steps_note_at("calling PSCI's CPU_ON for core", team.setup.cpu[i].apic_id);
		smp_prepare(&team.percpu[i], i);
		/* An error is below 0: -2 invalid, -4 already on, -9 no such address. */
		error = (int32_t)smccc_call(PSCI_CPU_ON, mpidr_of(team.setup.cpu[i].apic_id),
					    (uintptr_t)start_core, (uintptr_t)&team.percpu[i].start)
				.x[0];
		if (error)
			smp_refuse(i, error);
	}
}

/* If this machine lacks HVC or SMC, a table has named the wrong one. */
static void complain_of_fault(void)
{
	TEXT_DEFINE(t, 240);

	text_add(&t, "PSCI's CPU_ON cannot be called as the firmware's tables describe: %s",
		 arch_fault_text(team.setup.cpu));
	team.setup.complain(t.buf);
}

uint64_t arch_start_cores(void)
{
	uint64_t start = clock_now(), ticks;
	bool all;

	if (team.setup.cpus < 2)
		return 0;
	cache_lines("cvac", start_core, start_core_end);
	if (!arch_try(switch_on, NULL)) {
		complain_of_fault();
		return 0;
	}
	all = members_answered(MEMBERS_LATE_MS);
	ticks = clock_now() - start;
	if (!all)
		members_complain("PSCI's CPU_ON");
	return ticks;
}

void (*const arch_send_nmi)(const struct cpu *cpu) = NULL;
void (*const arch_break_off)(const struct cpu *cpu) = NULL;

#define HCR_E2H  (UINT64_C(1) << 34)
#define FPEN     (UINT64_C(3) << 20) /* a field of CPACR_EL1, and of CPTR_EL2 if E2H is set */
#define CPTR_TFP (UINT64_C(1) << 10) /* where it is not */

/*
 * Enable Advanced SIMD, but not SVE: no register shows at our level whether level 3 permits SVE
 * (CPTR_EL3.EZ), and it might end the machine at the attempt. Source: D17.2: CPACR_EL1, CPTR_EL2,
 * HCR_EL2.
 */
void arch_enable_vectors(void)
{
	if (current_el() == 1)
		sysreg_write("cpacr_el1", sysreg_read("cpacr_el1") | FPEN);
	else if (sysreg_read("hcr_el2") & HCR_E2H)
		sysreg_write("cptr_el2", sysreg_read("cptr_el2") | FPEN);
	else
		sysreg_write("cptr_el2", sysreg_read("cptr_el2") & ~CPTR_TFP);
	isb();
}
