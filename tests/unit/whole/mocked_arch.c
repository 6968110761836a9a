/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/arch.h by a mocked machine. */
#include "arch/arch.h"

#include "arch/members.h"
#include "arch/x86_64/counters/attribution_smm.h"
#include "evidence_now.h"
#include "mocked_inside.h"
#include "probe/app.h"

#define IPI_NS  2000
#define NMI_NS  3000
#define WAIT_NS (10 * MOCKED_MS) /* after INIT */

static struct arch_setup setup;

/* ---- Identity ---- */

void arch_identify(struct arch_identity *id)
{
	*id = (struct arch_identity){ .vendor = "Mocked",
				      .brand = "Mocked processor",
				      .family = 6,
				      .model = 85,
				      .stepping = 7,
				      .clock_invariant = true };
}

const char *arch_sealed(void)
{
	return NULL;
}

size_t arch_first_look_bytes(void)
{
	return 4096;
}

unsigned arch_clock_sources(struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	source[0] = (struct tsc_rate_source){ "mocked", MOCKED_HZ, TSC_RATE_EXACT };
	return 1;
}

unsigned arch_first_look(struct arch_identity *id,
			 struct tsc_rate_source source[ARCH_CLOCK_SOURCES], void *memory,
			 const struct acpi_info *acpi)
{
	(void)memory, (void)acpi;
	id->microcode = (struct maybe){ 0x42, true };
	return arch_clock_sources(source);
}

uint32_t arch_apic_id(void)
{
	return 2 * mocked_self();
}

uint64_t arch_entropy(void)
{
	return UINT64_C(0x0123456789abcdef) + mocked_starts();
}

void arch_topology(struct topology *t, const struct acpi_info *acpi)
{
	(void)acpi;
	*t = (struct topology){
		.known = true,
		.package = 3,
		.core = mocked_self(),
		.thread = 1,
		.type = mocked_self() ? "E" : "P",
	};
}

/* ---- Interrupts and rest ---- */

void arch_mask_interrupts(void)
{
	mocked_mask(true);
}

void arch_unmask_interrupts(void)
{
	mocked_mask(false);
}

bool arch_interrupts_masked(void)
{
	bool masked = mocked_mask(true);

	mocked_mask(masked);
	mocked_end_window();
	return masked;
}

void arch_sleep(const struct cpu *self)
{
	(void)self;
	mocked_sleep();
}

/* A core that spins would take time of this computer. */
void (*arch_resting(const struct arch_identity *id))(const struct cpu *self)
{
	(void)id;
	return arch_sleep;
}

static uint32_t core_of(const struct cpu *cpu)
{
	return cpu->apic_id / 2;
}

void arch_wake(const struct cpu *cpu)
{
	mocked_pass(mocked_ticks(IPI_NS));
	mocked_wake(core_of(cpu));
}

static void send_nmi(const struct cpu *cpu)
{
	mocked_pass(mocked_ticks(IPI_NS));
	mocked_count_nmi(core_of(cpu), mocked_ticks(NMI_NS));
}

void (*const arch_send_nmi)(const struct cpu *cpu) = send_nmi;

static void break_off(const struct cpu *cpu)
{
	mocked_break_off(core_of(cpu));
}

void (*const arch_break_off)(const struct cpu *cpu) = break_off;

/* ---- The end ---- */

void arch_exit_qemu(uint8_t code)
{
	mocked_end(MOCKED_QEMU_EXIT, code);
}

void arch_reset(void)
{
	mocked_end(MOCKED_RESET_ALONE, 0);
}

void arch_power_off(void)
{
}

void arch_halt(void)
{
	mocked_halt();
}

/* ---- Memory ---- */

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	(void)address, (void)bytes;
	return true;
}

void arch_map_page_0(bool there)
{
	(void)there;
}

void arch_plan_memory(struct arch_memory *m, const struct arch_setup *s)
{
	(void)s;
	m->core_bytes = 4096;
}

/* ---- Cores ---- */

void arch_setup_cores(const struct arch_memory *m, const struct arch_setup *s)
{
	(void)m;
	setup = *s;
	if (mocked->patience)
		app->last_words.limit = mocked->patience;
	members_init(&setup);
	for (uint32_t i = 0; i < s->cpus; i++) {
		struct percpu *p = mocked_percpu(core_of(&s->cpu[i]));

		s->cpu[i].nmi.count = &p->nmi_count;
		s->cpu[i].mce.count = &p->mce_count;
	}
}

void arch_borrow(uint32_t position, struct arch_borrowed *b)
{
	b->interrupts = mocked_mask(true);
	percpu_self()->cpu = &setup.cpu[position];
}

void arch_give_back(const struct arch_borrowed *b)
{
	percpu_self()->cpu = NULL;
	mocked_mask(b->interrupts);
}

void arch_take_over(void)
{
	percpu_self()->cpu = &setup.cpu[0];
	members_take_over();
}

static void core_main(uint32_t core)
{
	struct percpu *p = percpu_self();

	mocked_mask(true);
	for (uint32_t i = 0; i < setup.cpus; i++)
		if (core_of(&setup.cpu[i]) == core)
			p->cpu = &setup.cpu[i];
	arch_serve(p->cpu);
	arch_halt();
}

uint64_t arch_start_cores(void)
{
	uint64_t start = clock_now();

	mocked_pass(mocked_ticks(WAIT_NS));
	for (uint32_t i = 1; i < setup.cpus; i++)
		if (!(mocked->absent >> core_of(&setup.cpu[i]) & 1))
			mocked_run_on(core_of(&setup.cpu[i]), core_main);
	if (!members_answered(MEMBERS_SOON_MS))
		members_complain("INIT");
	return clock_now() - start;
}

/* ---- Evidence: SMIs, NMIs and machine checks are counted, and nothing is measured ---- */

static const struct evidence_context context = { .rules = &attribution_smm };

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	(void)hz, (void)clear_logs;
	cpu->smi.readable = !mocked->no_smi_counter;
	cpu->smi.last = evidence_register(&cpu->smi);
	cpu->smi.moved = cpu->smi.last != 0;
	cpu->context = &context;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room)
{
	(void)room;
	if (cpu->smi.moved)
		*names++ = "smi";
	names[0] = "nmi";
	names[1] = "mce";
	names[2] = busy[0] = NULL;
}

bool arch_evidence_measures(void)
{
	return false;
}

void arch_evidence_learn(struct cpu *cpu, spans_sample *sample)
{
	(void)cpu, (void)sample;
}

void arch_evidence_logs(struct cpu *cpu)
{
	(void)cpu;
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	(void)cpu, (void)e;
}

void arch_evidence_restore(struct cpu *cpu)
{
	(void)cpu;
}

/* ---- Exceptions ---- */

const int arch_firmware_faults[] = { -1 };
