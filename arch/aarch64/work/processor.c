/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches and instructions of this processor, for the kernels. */
#include "arch/kernels.h"

#include "arch/arch.h"
#include "asm.h"
#include "caches.h"

#define MMFR2_CCIDX(mmfr2) ((mmfr2) >> 20 & 0xf)

/*
 * Vector registers can always be used: UEFI enables floating point (UEFI 2.10, 2.3.6),
 * arch_enable_vectors() does after the firmware is gone, and Linux has it enabled.
 */
bool kernels_vectors(void)
{
	return true;
}

uint32_t kernels_chunks(void)
{
	return kernels_chunks_at(sysreg_read("cntfrq_el0"));
}

/* CCSIDR_EL1 can only be read at level 1 or above: caches_find() was there. */
static struct caches found;

void kernels_caches(struct caches *c)
{
	*c = found;
}

static uint64_t read_ccsidr(unsigned level)
{
	sysreg_write("csselr_el1", level << 1);
	isb();
	return sysreg_read("ccsidr_el1");
}

void caches_find(const struct acpi_info *acpi)
{
	const struct acpi_cpu *cpu = acpi_find_cpu(acpi, arch_apic_id());
	struct caches c;

	if (!cpu || !caches_of_table(&c, acpi, cpu->uid))
		caches_of_registers(&c, sysreg_read("clidr_el1"),
				    MMFR2_CCIDX(sysreg_read("id_aa64mmfr2_el1")) != 0, read_ccsidr);
	found = c;
}
