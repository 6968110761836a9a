/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector registers. Source: Intel SDM vol. 1, 13.3 "Enabling the XSAVE Feature Set". */
#include "arch/arch.h"
#include "asm.h"

#define ECX_XSAVE  (1u << 26) /* CPUID.01H */
#define ECX_AVX    (1u << 28)
#define LEAF_XSAVE 0xdu
#define XCR0_AVX   0x7u /* x87, SSE and AVX state */

void arch_enable_vectors(void)
{
	const uint32_t wanted = ECX_XSAVE | ECX_AVX;

	if ((cpuid(1, 0).ecx & wanted) != wanted || !cpuid_has(LEAF_XSAVE) ||
	    (cpuid(LEAF_XSAVE, 0).eax & XCR0_AVX) != XCR0_AVX)
		return;
	write_cr4(read_cr4() | CR4_OSFXSR | CR4_OSXSAVE);
	__asm__ volatile("xsetbv" : : "c"(0), "a"(read_xcr0() | XCR0_AVX), "d"(0));
}
