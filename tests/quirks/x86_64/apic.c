/* SPDX-License-Identifier: BSD-2-Clause */
/* Local APICs as some firmware leaves them. Source: Intel SDM vol. 3, 11.4.3 and 11.12.1. */
#include "pc.h"

#include "tests/inject/x86_64/mmio.h"

#include <stdint.h>

#define CPUID_X2APIC     (1u << 21) /* leaf 1, ECX */
#define MSR_APIC_BASE    0x1bu
#define APIC_BASE_X2APIC (UINT64_C(1) << 10)
#define APIC_BASE_MASK   UINT64_C(0x000ffffffffff000)
#define LVT_THERMAL      0x330
#define LVT_SMI          (2u << 8)

static void write_msr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

static uint32_t features(void)
{
	uint32_t eax = 1, ebx, ecx, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	return ecx;
}

bool quirk_boot_core_in_x2apic_mode(void)
{
	if (!(features() & CPUID_X2APIC))
		return false;
	write_msr(MSR_APIC_BASE, read_msr(MSR_APIC_BASE) | APIC_BASE_X2APIC);
	return true;
}

bool quirk_thermal_smi(void)
{
	uint64_t base = read_msr(MSR_APIC_BASE);

	if (base & APIC_BASE_X2APIC)
		return false;
	*(volatile uint32_t *)(uintptr_t)((base & APIC_BASE_MASK) + LVT_THERMAL) = LVT_SMI;
	return true;
}
