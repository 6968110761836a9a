/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's evidence: SErrors counted by the handler, and counts of the monitors. */
#include "arch/evidence.h"

#include "arch/arch.h"
#include "counters/counters_now.h"
#include "hypervisor.h"
#include "percpu.h"

static void arm(void *hz)
{
	pmu_arm(&percpu_self()->pmu, &pmu_regs_real, current_el(), *(const uint64_t *)hz);
}

static void disarm(void *pmu)
{
	pmu_restore(pmu);
}

static void open_stolen(void *pmu)
{
	uint64_t at = hypervisor_stolen_time();
	struct stolen_time *time = (struct stolen_time *)(uintptr_t)at;

	if (!arch_map_device(at, sizeof(*time)))
		return;
	counters_stolen_now(time);
	pmu_open_stolen(pmu, time);
}

/* Takes one MRS per counter, and one load for a hypervisor's structure. */
static void read_counters(struct cpu *cpu)
{
	struct pmu *p = cpu->counters;

	counters_now(p, &p->now);
}

static void make_steps(struct cpu *cpu, struct gap_steps *steps)
{
	struct pmu *p = cpu->counters;

	pmu_steps(p, &p->now, steps);
}

static void weigh_steps(struct cpu *cpu, const struct gap_steps *steps,
			const struct gap_evidence *counted, struct evidence *e)
{
	pmu_weigh(cpu->counters, steps, e);
	attribution_add_counts(e, EVIDENCE(MCE), counted);
}

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	struct pmu *pmu = &percpu_self()->pmu;

	(void)clear_logs;
#define BLIND_INTERRUPT(name) cpu->blind.name = true;
#define BLIND_ERROR(name)
#define COUNTED(id, name, from, kind, ...) BLIND_##kind(name)
#include "core/cause/counted_rows.h"
	/*
	 * A higher exception level may reserve the monitors (MDCR_EL3.TPM, MDCR_EL2.TPM), or some
	 * of their registers (HDFGWTR_EL2).
	 */
	if (!arch_try(arm, &hz))
		arch_try(disarm, pmu);
	arch_try(open_stolen, pmu);
	pmu->context.hypervisor = hypervisor_below(pmu->level);
	cpu->context = &pmu->context;
	cpu->counters = pmu;
	cpu->read_counters = pmu->slots || pmu->stolen ? read_counters : NULL;
	cpu->make_steps = make_steps;
	cpu->weigh_steps = weigh_steps;
}

void arch_evidence_learn(struct cpu *cpu, spans_sample *sample)
{
	if (cpu->read_counters)
		pmu_learn_from(cpu->counters, cpu, sample);
}

bool arch_evidence_measures(void)
{
	return hypervisor_steals() || pmu_there(&pmu_regs_real);
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	pmu_count(cpu->counters, e);
}

void arch_evidence_logs(struct cpu *cpu)
{
	cpu->throttled = cpu->mce_banks = 0;
}

void arch_evidence_restore(struct cpu *cpu)
{
	pmu_restore(cpu->counters);
	cpu->read_counters = NULL;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room)
{
	const struct pmu *pmu = cpu->counters;
	size_t count = 0;

	names[0] = busy[0] = busy[1] = NULL;
	if (!pmu)
		return;
	names[count++] = "serror_count";
	if (pmu->stolen)
		names[count++] = "steal_clock";
	names[count + pmu_names(pmu, names + count, room - 1 - count)] = NULL;
	busy[0] = pmu->busy ? "cycles" : NULL;
}
