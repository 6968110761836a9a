/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware and hypervisor, detected before any core is taken over. Tables may describe calls by an
 * instruction that this machine lacks: hence with handlers of our own.
 */
#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "hypervisor.h"
#include "percpu.h"
#include "smccc.h"
#include "traps.h"
#include "work/caches.h"

const char *isa_other_clock;

uint64_t isa_other_clock_now(void)
{
	isb();
	return sysreg_read("cntpct_el0");
}

size_t arch_first_look_bytes(void)
{
	return sizeof(struct percpu);
}

static void look_at_hypervisor(void *acpi)
{
	hypervisor_find((*(const struct acpi_info *const *)acpi)->hypervisor);
}

static void look_at_caches(void *acpi)
{
	caches_find(*(const struct acpi_info *const *)acpi);
}

static void try_other_clock(void *unused)
{
	(void)unused;
	isa_other_clock_now();
}

unsigned arch_first_look(struct arch_identity *id,
			 struct tsc_rate_source source[ARCH_CLOCK_SOURCES], void *memory,
			 const struct acpi_info *acpi)
{
	struct arch_borrowed saved;

	memset(memory, 0, arch_first_look_bytes());
	smccc_init(acpi);
	traps_borrow(memory, &saved);
	arch_try(look_at_hypervisor, &acpi);
	isa_other_clock = arch_try(try_other_clock, NULL) ? "cntpct" : NULL;
	arch_try(look_at_caches, &acpi);
	arch_give_back(&saved);
	if (hypervisor_name())
		text_print(id->hypervisor, sizeof(id->hypervisor), "%s", hypervisor_name());
	return arch_clock_sources(source);
}
