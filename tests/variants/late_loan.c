/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces probe/platform/platform_firmware.c: the firmware's other cores run late, as on a busy
 * host.
 */
#include "arch/arch.h"

static void borrow_late(uint32_t position, struct arch_borrowed *saved);

#define arch_borrow borrow_late
#include "probe/platform/platform_firmware.c"
#undef arch_borrow

#define LATE_SECONDS 3

static void borrow_late(uint32_t position, struct arch_borrowed *saved)
{
	const struct platform *p = &app->platform;
	uint64_t start = p->now();

	while (position && p->now() - start < LATE_SECONDS * p->hz)
		arch_relax();
	arch_borrow(position, saved);
}
