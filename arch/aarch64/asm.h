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

#define DAIF_F (UINT64_C(1) << 6)
#define DAIF_I (UINT64_C(1) << 7)
