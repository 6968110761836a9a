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
#include "traps.h"
#include "work/caches.h"

static struct hypervisor found = { .call = smccc_call };
static bool has_other_clock;

const struct hypervisor *hypervisor_found(void)
{
	return &found;
}

bool isa_other_clock_there(void)
{
	return has_other_clock;
}

uint64_t isa_other_clock_now(void)
{
	isb();
	return sysreg_read("cntpct_el0");
}

size_t arch_first_look_bytes(void)
{
	return sizeof(struct percpu);
}

static void first_look_look(void *identity)
{
	hypervisor_find(&found, smccc_is_by_hvc(), *(const uint64_t *)identity);
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
	uint64_t identity = acpi->hypervisor;

	memset(memory, 0, arch_first_look_bytes());
	smccc_init(acpi);
	traps_save(&saved);
	traps_load(memory);
	arch_try(first_look_look, &identity);
	has_other_clock = arch_try(try_other_clock, NULL);
	arch_try(look_at_caches, &acpi);
	arch_give_back(&saved);
	text_print(id->hypervisor, sizeof(id->hypervisor), "%s", found.name ? found.name : "");
	return arch_clock_sources(source);
}
