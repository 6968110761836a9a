/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices' registers in memory. Each access is one load or store without write-back, which a
 * hypervisor can emulate (Arm ARM, ESR_EL2.ISS.ISV).
 */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/steps.h"

#define PAGE      UINT64_C(4096)
#define PAR_FAULT UINT64_C(1) /* PAR_EL1.F */

/* Translate by the page tables in force. */
static uint64_t translate(uint64_t address)
{
	if (current_el() == 2)
		__asm__ volatile("at s1e2r, %0" : : "r"(address) : "memory");
	else
		__asm__ volatile("at s1e1r, %0" : : "r"(address) : "memory");
	isb();
	return sysreg_read("par_el1");
}

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	steps_note_at("mapping the device at", address);
	if (!address || !bytes || address + bytes < address)
		return false;
	for (uint64_t at = address & ~(PAGE - 1); at < address + bytes; at += PAGE)
		if (translate(at) & PAR_FAULT)
			return false;
	return true;
}

/* If memory begins at address 0, page 0 cannot trap null pointers. */
void arch_map_page_0(bool there)
{
	(void)there;
}

#define REGISTER(bits, suffix)                                             \
	uint##bits##_t arch_mmio_read##bits(uint64_t address)              \
	{                                                                  \
		uint32_t value;                                            \
                                                                           \
		__asm__ volatile("ldr" suffix " %w0, [%1]"                 \
				 : "=r"(value)                             \
				 : "r"(address)                            \
				 : "memory");                              \
		return (uint##bits##_t)value;                              \
	}                                                                  \
	void arch_mmio_write##bits(uint64_t address, uint##bits##_t value) \
	{                                                                  \
		__asm__ volatile("str" suffix " %w0, [%1]"                 \
				 :                                         \
				 : "r"(value), "r"(address)                \
				 : "memory");                              \
	}

REGISTER(8, "b")
REGISTER(16, "h")
REGISTER(32, "")
