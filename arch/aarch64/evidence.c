/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's evidence: SErrors that the handler counts. */
#include "arch/evidence.h"

#include "arch/arch.h"

void arch_evidence_detect(struct cpu *cpu, uint64_t hz, bool clear_logs)
{
	(void)hz, (void)clear_logs;
	cpu->smi.readable = false;
	cpu->measure = NULL;
	cpu->context = NULL;
	cpu->blind.nmi = true;
}

void arch_evidence_learn(struct cpu *cpu, void (*sample)(struct cpu *cpu))
{
	(void)cpu, (void)sample;
}

bool arch_evidence_measures(void)
{
	return false;
}

void arch_evidence_logs(struct cpu *cpu)
{
	cpu->throttled = cpu->mce_banks = 0;
}

void arch_evidence_restore(struct cpu *cpu)
{
	(void)cpu;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[], const char *busy[],
			 size_t room)
{
	(void)cpu, (void)room;
	names[0] = busy[0] = NULL;
}
