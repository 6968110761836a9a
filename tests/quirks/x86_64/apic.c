/* SPDX-License-Identifier: BSD-2-Clause */
/* Local APICs as some firmware leaves them. Source: Intel SDM vol. 3, 11.4.3 and 11.12.1. */
#include "pc.h"

#include "arch/x86_64/asm.h"

#define CPUID_X2APIC (1u << 21) /* leaf 1, ECX */
#define LVT_THERMAL  0x330
#define LVT_SMI      (2u << 8)

static bool boot_core_in_x2apic_mode(void)
{
	if (!(cpuid(1, 0).ecx & CPUID_X2APIC))
		return false;
	wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | APIC_BASE_X2APIC);
	return true;
}

static bool thermal_smi(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);

	if (base & APIC_BASE_X2APIC)
		return false;
	*(volatile uint32_t *)(uintptr_t)((base & APIC_BASE_MASK) + LVT_THERMAL) = LVT_SMI;
	return true;
}

const struct quirk quirks_of_apic[] = {
	/* Only the boot core is in x2APIC mode. */
	QUIRK("boot-core-in-x2apic-mode", boot_core_in_x2apic_mode),
	/* Thermal interrupts are delivered as SMIs. */
	QUIRK("thermal-smi", thermal_smi),
	QUIRKS_END,
};
