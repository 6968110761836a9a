/* SPDX-License-Identifier: BSD-2-Clause */
/* Which counters this core has. Existence by CPUID and a guarded read; belief only once moved. */
#include "evidence.h"

#include "arch/arch.h"
#include "asm.h"
#include "core/mem.h"
#include "msr.h"

/*
 * MSR_SMI_COUNT has no CPUID bit. Intel has it since Nehalem and Silvermont (SDM
 * vol. 4), all family 6; QEMU's TCG counts in it, and KVM its virtual SMIs,
 * whatever vendor they show. AMD has no such register.
 */
static bool may_have_smi_count(const struct arch_identity *id)
{
	if (!strcmp(id->vendor, "GenuineIntel") && id->family == 6)
		return true;
	return !strcmp(id->hypervisor, "TCG") || !strcmp(id->hypervisor, "KVM");
}

void arch_evidence_detect(struct cpu *cpu)
{
	struct arch_identity id;
	uint64_t v = 0;

	arch_identify(&id);
	cpu->smi.readable = may_have_smi_count(&id) && msr_read(MSR_SMI_COUNT, &v);
	cpu->smi.last = (uint32_t)v;
	cpu->smi.moved = cpu->smi.last != 0;
}

void arch_evidence_names(const struct cpu *cpu, const char *names[RECORD_STRINGS])
{
	unsigned n = 0;

	if (cpu->smi.readable)
		names[n++] = "smi_count";
	names[n++] = "nmi_count";
	names[n++] = "mce_count";
	names[n] = NULL;
}
