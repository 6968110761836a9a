/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions of AArch64. Source: Arm ARM (DDI 0487), C5 and D17. */
#pragma once

#include <stdint.h>

#define sysreg_read(name)                                         \
	({                                                        \
		uint64_t value_;                                  \
		__asm__ volatile("mrs %0, " name : "=r"(value_)); \
		value_;                                           \
	})

#define sysreg_write(name, value) \
	__asm__ volatile("msr " name ", %0" : : "r"((uint64_t)(value)) : "memory")

/* Make earlier writes to system registers visible to later instructions. */
static inline void isb(void)
{
	__asm__ volatile("isb" : : : "memory");
}

static inline unsigned current_el(void)
{
	return (unsigned)(sysreg_read("CurrentEL") >> 2 & 3);
}

/* Read a register that exists once per exception level; ours is 1 or 2. */
#define own_read(name) (current_el() == 2 ? sysreg_read(name "_el2") : sysreg_read(name "_el1"))
#define own_write(name, value)                              \
	do {                                                \
		if (current_el() == 2)                      \
			sysreg_write(name "_el2", (value)); \
		else                                        \
			sysreg_write(name "_el1", (value)); \
	} while (0)

/* Maintain the data caches by this operation, for the memory in [from, end). */
#define cache_lines(operation, from, end)                                                 \
	do {                                                                              \
		uint64_t line_ = UINT64_C(4) << (sysreg_read("ctr_el0") >> 16 & 0xf);     \
		uintptr_t at_ = (uintptr_t)(from) & ~(line_ - 1);                         \
                                                                                          \
		for (; at_ < (uintptr_t)(end); at_ += line_)                              \
			__asm__ volatile("dc " operation ", %0" : : "r"(at_) : "memory"); \
		__asm__ volatile("dsb sy" : : : "memory");                                \
	} while (0)

#define DAIF_F (UINT64_C(1) << 6)
#define DAIF_I (UINT64_C(1) << 7)
