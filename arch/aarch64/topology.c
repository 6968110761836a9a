/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's place in the machine. */
#include "arch/arch.h"

/*
 * MPIDR's levels are an address, and need not follow packages or threads (Arm ARM, D17.2.100).
 * ACPI's PPTT does, and is not read.
 */
void arch_topology(struct topology *t)
{
	*t = (struct topology){ .known = false };
}
