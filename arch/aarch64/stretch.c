/* SPDX-License-Identifier: BSD-2-Clause */
/* There are no kernels for this processor: ISA_NO_MODES. */
#include "arch/work.h"

#include "arch/arch.h"

size_t arch_work_bytes(uint32_t cpus)
{
	(void)cpus;
	return 0;
}

uint64_t arch_work_ring_bytes(uint64_t machine)
{
	(void)machine;
	return 0;
}

struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e))
{
	(void)memory, (void)cpus, (void)ring, (void)ring_bytes, (void)count;
	return NULL;
}

void arch_work_find(struct work_room *s)
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
