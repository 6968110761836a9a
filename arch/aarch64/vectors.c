/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector registers: Advanced SIMD. Not SVE: whether who is at level 3 lets it be used, no register
 * shows below him (CPTR_EL3.EZ), and he might end the machine at the attempt. Source: Arm ARM
 * (DDI 0487), D17.2: CPACR_EL1, CPTR_EL2, HCR_EL2.
 */
#include "arch/arch.h"
#include "asm.h"

#define HCR_E2H  (UINT64_C(1) << 34)
#define FPEN     (UINT64_C(3) << 20) /* of CPACR_EL1, and of CPTR_EL2 where E2H is set */
#define CPTR_TFP (UINT64_C(1) << 10) /* where it is not */

void arch_enable_vectors(void)
{
	if (current_el() == 1)
		sysreg_write("cpacr_el1", sysreg_read("cpacr_el1") | FPEN);
	else if (sysreg_read("hcr_el2") & HCR_E2H)
		sysreg_write("cptr_el2", sysreg_read("cptr_el2") | FPEN);
	else
		sysreg_write("cptr_el2", sysreg_read("cptr_el2") & ~CPTR_TFP);
	isb();
}
