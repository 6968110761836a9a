/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of caches, by the PPTT, or by the registers, from which nobody can infer them for sure:
 * these are for maintenance by set and way (Arm ARM, D17.2, CCSIDR_EL1). KVM shows a set and a way
 * of each cache (Linux, arch/arm64/kvm/sys_regs.c).
 */
#pragma once

#include "arch/work.h"
#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

/* Read the caches of the core with that UID. False: the table lacks its first two levels. */
bool caches_of_table(struct caches *c, const struct acpi_info *acpi, uint32_t uid);

/*
 * clidr: CLIDR_EL1. wide: CCSIDR_EL1 has more than 32 bits (FEAT_CCIDX). ccsidr: its value for a
 * data cache, level 0 being the first.
 */
void caches_of_registers(struct caches *c, uint64_t clidr, bool wide,
			 uint64_t (*ccsidr)(unsigned level));

/*
 * Find the calling core's caches, for kernels_caches(). It may fault if a hypervisor reserves the
 * registers.
 */
void caches_find(const struct acpi_info *acpi);
