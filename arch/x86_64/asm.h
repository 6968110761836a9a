/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions of x86-64. Source: Intel SDM vol. 2, AMD APM vol. 3. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	return r;
}

/* Faults where the register does not exist: regs.h has the guarded form. */
static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

/* Read the low half, if that is sufficient. */
static inline uint32_t rdmsr_low(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

/* Control registers: read_cr2() and so on. */
#define READ_CONTROL(name)                                         \
	static inline uint64_t read_##name(void)                   \
	{                                                          \
		uint64_t v;                                        \
                                                                   \
		__asm__ volatile("mov %%" #name ", %0" : "=r"(v)); \
		return v;                                          \
	}
#define WRITE_CONTROL(name)                                                 \
	static inline void write_##name(uint64_t v)                         \
	{                                                                   \
		__asm__ volatile("mov %0, %%" #name : : "r"(v) : "memory"); \
	}

READ_CONTROL(cr2)
READ_CONTROL(cr3)
READ_CONTROL(cr4)
WRITE_CONTROL(cr3)
WRITE_CONTROL(cr4)

/* XCR0; only with CR4_OSXSAVE. */
static inline uint32_t read_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

static inline uint64_t read_flags(void)
{
	uint64_t v;

	__asm__ volatile("pushfq; popq %0" : "=r"(v) : : "memory");
	return v;
}

static inline void write_flags(uint64_t v)
{
	__asm__ volatile("pushq %0; popfq" : : "r"(v) : "memory", "cc");
}

#define CR4_PAE     (UINT64_C(1) << 5)
#define CR4_MCE     (UINT64_C(1) << 6)
#define CR4_OSFXSR  (UINT64_C(1) << 9)
#define CR4_LA57    (UINT64_C(1) << 12)
#define CR4_OSXSAVE (UINT64_C(1) << 18)
#define FLAGS_TF    (UINT64_C(1) << 8) /* single-step: #DB after each instruction */
#define FLAGS_IF    (UINT64_C(1) << 9)

#define MSR_APIC_BASE    0x1b
#define MSR_BIOS_SIGN    0x8b
#define MSR_SMI_COUNT    0x34
#define MSR_EFER         0xc0000080u
#define MSR_GS_BASE      0xc0000101u
#define APIC_BASE_BOOTS  (UINT64_C(1) << 8) /* BSP */
#define APIC_BASE_X2APIC (UINT64_C(1) << 10)
#define APIC_BASE_MASK   UINT64_C(0x000ffffffffff000)
#define EFER_LME         (UINT64_C(1) << 8)
#define EFER_NXE         (UINT64_C(1) << 11)
