/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's evidence: SErrors that the handler counts, and what the monitors count. */
#include "arch/evidence.h"

#include "arch/arch.h"
#include "percpu.h"
#include "pmu_regs.h"

#define STRETCHES 2 /* of an eighth of a second, at 62.5 MHz */

static void arm(void *hz)
{
	pmu_arm(&percpu_self()->pmu, &pmu_regs_real, current_el(), *(const uint64_t *)hz);
}

/* cpu->measure, off the slow path: steps from here on are the next gap's. */
static void measure(struct cpu *cpu, const struct gap *gap, struct attribution *why)
{
	evidence_measure(cpu, gap, why);
}

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	struct pmu *pmu = &percpu_self()->pmu;

	(void)clear_logs;
	cpu->smi.readable = false;
	cpu->blind.nmi = true;
	/* Who is above may keep the monitors for himself (MDCR_EL3.TPM, MDCR_EL2.TPM). */
	if (!arch_try(arm, &hz))
		pmu->slots = pmu->armed = 0;
	cpu->context = &pmu->context;
	cpu->counters = pmu;
	cpu->measure = pmu->slots ? measure : NULL;
}

void arch_evidence_learn(struct cpu *cpu, void (*sample)(struct cpu *cpu))
{
	struct evidence e = { .gap = 0 };

	for (unsigned n = 0; cpu->measure && n < STRETCHES; n++) {
		pmu_step(cpu->counters, &e);
		sample(cpu);
		pmu_step(cpu->counters, &e);
		pmu_learn(cpu->counters, &e);
	}
}

bool arch_evidence_measures(void)
{
	return pmu_there(&pmu_regs_real);
}

void arch_evidence_logs(struct cpu *cpu)
{
	cpu->throttled = cpu->mce_banks = 0;
}

void arch_evidence_restore(struct cpu *cpu)
{
	pmu_restore(cpu->counters);
	cpu->measure = NULL;
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
	names[count + pmu_names(pmu, names + count, room - 1 - count)] = NULL;
	busy[0] = pmu->busy ? "cycles" : NULL;
}
