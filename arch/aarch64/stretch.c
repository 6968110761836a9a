/* SPDX-License-Identifier: BSD-2-Clause */
/* There are no kernels for this processor: ISA_NO_MODES. */
#include "arch/work.h"

#include "arch/arch.h"

size_t arch_stretch_bytes(uint32_t cpus)
{
	(void)cpus;
	return 0;
}

void arch_stretch_lay(struct stretch_room *s, void *memory, uint32_t cpus,
		      void (*count)(struct cpu *cpu, struct evidence *e))
{
	(void)memory, (void)cpus, (void)count;
	s->kernels = 0;
}

void arch_stretch_find(struct stretch_room *s)
{
	(void)s;
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	(void)cpu, (void)e;
}

void arch_enable_vectors(void)
{
}
