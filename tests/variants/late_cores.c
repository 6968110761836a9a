/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of arch/members.c: acts as a host that has no processor free for the other cores. */
#include "arch/members.h"

void serve_at_once(struct cpu *cpu);

#define arch_serve serve_at_once
#include "arch/members.c"
#undef arch_serve

#define LATE_MS ((MEMBERS_SOON_MS + MEMBERS_LATE_MS) / 2)

void arch_serve(struct cpu *cpu)
{
	uint64_t start = clock_now();

	while (clock_now() - start < members.setup->hz / 1000 * LATE_MS)
		clock_relax();
	serve_at_once(cpu);
}
