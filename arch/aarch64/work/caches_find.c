/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the calling core's caches are described. */
#include "caches.h"

#include "arch/arch.h"
#include "arch/work.h"
#include "asm.h"

#define MMFR2_CCIDX(mmfr2) ((mmfr2) >> 20 & 0xf)

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
	arch_work_caches(&c);
}
