/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of arch/x86_64/regs.c: an Intel processor with every counter that the
 * slow path reads on a bare machine, all counting at the clock's rate. QEMU has none
 * of them. Each access goes to the processor as well, so that its cost is there.
 */
#include "arch/x86_64/regs.h"

/* The functions that access registers stay; the table that offers them is another. */
#define regs_real regs_of_processor
#include "arch/x86_64/regs.c"
#undef regs_real

#include <stddef.h>

#define LEAF_FEATURES 1u
#define ECX_PDCM      (1u << 15)
#define LEAF_THERMAL  6u
#define ECX_PERF      1u
#define LEAF_EXTENDED 7u
#define EBX_ADJUST    2u
#define LEAF_PERFMON  0xau
#define VERSION       2u
#define FIXED         (3u | 48u << 5) /* three, of 48 bits */

#define MSR_ADJUST   0x3bu
#define MSR_MPERF    0xe7u
#define MSR_APERF    0xe8u
#define MSR_FIXED0   0x309u
#define MSR_FIXED2   0x30bu
#define MSR_CAPS     0x345u
#define CAPS_FREEZE  (UINT64_C(1) << 12)
#define MSR_DEBUGCTL 0x1d9u
#define MSR_CONTROL  0x38du
#define MSR_GLOBAL   0x38fu

/* The name is known to tests/bench/loop.py, which leaves these instructions out. */
bool all_evidence_rdmsr(uint32_t msr, uint64_t *value);

static struct cpuid mock_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r = cpuid(leaf, subleaf);

	if (leaf == LEAF_FEATURES)
		r.ecx |= ECX_PDCM;
	if (leaf == LEAF_THERMAL)
		r.ecx |= ECX_PERF;
	if (leaf == LEAF_EXTENDED && !subleaf)
		r.ebx |= EBX_ADJUST;
	if (leaf == LEAF_PERFMON)
		r = (struct cpuid){ .eax = VERSION, .edx = FIXED };
	return r;
}

/* One core is enough: registers that keep what is written. */
static uint64_t *kept(uint32_t msr)
{
	static struct {
		uint32_t msr;
		uint64_t value;
	} reg[] = { { MSR_ADJUST, 0 }, { MSR_DEBUGCTL, 0 }, { MSR_CONTROL, 0 }, { MSR_GLOBAL, 0 } };

	for (unsigned i = 0; i < sizeof(reg) / sizeof(reg[0]); i++) {
		if (reg[i].msr == msr)
			return &reg[i].value;
	}
	return NULL;
}

__attribute__((noinline)) bool all_evidence_rdmsr(uint32_t msr, uint64_t *value)
{
	bool exists = regs_msr_read(msr, value);
	const uint64_t *keeps = kept(msr);

	if (msr == MSR_MPERF || msr == MSR_APERF || (msr >= MSR_FIXED0 && msr <= MSR_FIXED2))
		*value = clock_now();
	else if (msr == MSR_CAPS)
		*value = CAPS_FREEZE;
	else if (keeps)
		*value = *keeps;
	return exists;
}

static bool mock_wrmsr(uint32_t msr, uint64_t value)
{
	uint64_t *keeps = kept(msr);

	if (keeps)
		*keeps = value;
	return regs_msr_write(msr, value);
}

const struct regs regs_real = {
	.cpuid = mock_cpuid,
	.rdmsr = all_evidence_rdmsr,
	.wrmsr = mock_wrmsr,
	.clock = clock_now,
};
