/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of probe/platform/platform_firmware.c: a busy host runs the firmware's other cores late.
 */
#include "arch/arch.h"

static void borrow_late(uint32_t position, struct arch_borrowed *saved);

#define arch_borrow borrow_late
#include "probe/platform/platform_firmware.c"
#undef arch_borrow

#define LATE_SECONDS 3

static void borrow_late(uint32_t position, struct arch_borrowed *saved)
{
	const struct platform *p = loan.platform;
	uint64_t start = p->now();

	while (position && p->now() - start < LATE_SECONDS * p->hz)
		arch_relax();
	arch_borrow(position, saved);
}
