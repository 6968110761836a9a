/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels need to know of this processor. */
#include "arch/kernels.h"

#include "asm.h"

/*
 * UEFI 2.10, 2.3.6: floating point is enabled; once the firmware is gone, arch_enable_vectors() has
 * enabled it, and under Linux it is.
 */
bool kernels_vectors(void)
{
	return true;
}

uint32_t kernels_chunks(void)
{
	return kernels_chunks_at(sysreg_read("cntfrq_el0"));
}

/* CCSIDR_EL1 is for who runs at level 1 or above: caches_find(). */
void kernels_caches(struct caches *c)
{
	*c = (struct caches){ 0 };
}
