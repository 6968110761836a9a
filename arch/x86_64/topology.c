/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's place in the machine, by CPUID. */
#include "arch/arch.h"
#include "asm.h"
#include "core/gaps/topology.h"

static struct topology_leaf read_leaf(void *ctx, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r = cpuid(leaf, subleaf);

	(void)ctx;
	return (struct topology_leaf){ r.eax, r.ebx, r.ecx, r.edx };
}

void arch_topology(struct topology *t)
{
	topology_decode(t, read_leaf, NULL);
}
