/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels need to know of this processor. */
#include "arch/kernels.h"

#include "asm.h"
#include "caches.h"

#define ECX_FMA     (1u << 12) /* CPUID.01H */
#define ECX_OSXSAVE (1u << 27)
#define ECX_AVX     (1u << 28)
#define XCR0_AVX    0x6u /* SSE and AVX state */

bool kernels_vectors(void)
{
	const uint32_t wanted = ECX_FMA | ECX_OSXSAVE | ECX_AVX;

	return (cpuid(1, 0).ecx & wanted) == wanted && (read_xcr0() & XCR0_AVX) == XCR0_AVX;
}

/* The TSC's tick is short. */
uint32_t kernels_chunks(void)
{
	return KERNEL_CHUNKS;
}

void kernels_caches(struct caches *c)
{
	caches_read(c, cpuid);
}
