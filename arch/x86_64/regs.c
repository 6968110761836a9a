/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's own registers. */
#include "regs.h"

#include "clock_now.h"
#include "msr.h"

const struct regs regs_real = {
	.cpuid = cpuid,
	.rdmsr = msr_read,
	.wrmsr = msr_write,
	.clock = clock_now,
};
