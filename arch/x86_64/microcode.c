/* SPDX-License-Identifier: BSD-2-Clause */
/* The microcode's revision, in a register that only the machine's owner may read. */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"

#define LEAF_VERSION 1u

/*
 * IA32_BIOS_SIGN_ID: on Intel the revision is in the high half once CPUID ran
 * after writing 0 (SDM vol. 3, 9.11.7.1); AMD's patch level is in the low half.
 * Before our IDT is loaded only processors known to have it are asked.
 */
void arch_microcode(struct arch_identity *id)
{
	uint64_t v;

	if (id->hypervisor[0])
		return;
	if (!strcmp(id->vendor, "GenuineIntel") && id->family >= 6) {
		wrmsr(MSR_BIOS_SIGN, 0);
		cpuid(LEAF_VERSION, 0);
		v = rdmsr(MSR_BIOS_SIGN) >> 32;
	} else if (!strcmp(id->vendor, "AuthenticAMD") && id->family >= 16) {
		v = rdmsr(MSR_BIOS_SIGN) & 0xffffffff;
	} else {
		return;
	}
	id->microcode = (struct maybe){ .value = v, .known = v != 0 };
}
