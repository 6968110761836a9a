/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's place in the machine. */
#include "arch/arch.h"
#include "asm.h"
#include "core/firmware/acpi.h"

/* MPIDR's four levels in 32 bits, as acpi_info has them. */
uint32_t arch_apic_id(void)
{
	uint64_t mpidr = sysreg_read("mpidr_el1");

	return (uint32_t)((mpidr & 0xffffff) | (mpidr >> 32 & 0xff) << 24);
}

/*
 * MPIDR's levels are an address, and need not follow packages or threads (Arm ARM, D17.2.100):
 * only the PPTT does.
 */
void arch_topology(struct topology *t, const struct acpi_info *acpi)
{
	const struct acpi_cpu *cpu = acpi ? acpi_find_cpu(acpi, arch_apic_id()) : NULL;
	struct acpi_place at = { .known = false };

	if (cpu)
		at = acpi_pptt_place(acpi, cpu->uid);
	*t = (struct topology){ at.known, at.package, at.core, at.thread, NULL };
}
