/* SPDX-License-Identifier: BSD-2-Clause */
/* There are no kernels for this processor: ISA_NO_MODES. */
#include "arch/arch.h"
#include "arch/kernels.h"

uint64_t kernel_adds(struct kernel_work *w)
{
	(void)w;
	return 0;
}

uint64_t kernel_l2(struct kernel_work *w)
{
	return kernel_adds(w);
}

uint64_t kernel_llc(struct kernel_work *w)
{
	return kernel_adds(w);
}

uint64_t kernel_dram(struct kernel_work *w)
{
	return kernel_adds(w);
}

uint64_t kernel_fma(struct kernel_work *w)
{
	return kernel_adds(w);
}

bool kernels_vectors(void)
{
	return false;
}

uint32_t kernels_chunks(void)
{
	return KERNEL_CHUNKS;
}

void kernels_caches(struct caches *c)
{
	*c = (struct caches){ 0 };
}

void arch_evidence_count(struct cpu *cpu, struct evidence *e)
{
	(void)cpu, (void)e;
}

void arch_enable_vectors(void)
{
}
