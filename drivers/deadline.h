/* SPDX-License-Identifier: BSD-2-Clause */
/* The bound of a wait for a device. */
#pragma once

#include "arch/arch.h"
#include "core/lib/ticks.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Least number of polls: a hypervisor may stop us between two of them, for longer than the whole
 * wait.
 */
#define DEADLINE_LOOKS 1000u

struct deadline {
	uint64_t start, ticks;
	unsigned looks;
};

/* The deadline `ms` from now, with a TSC of `hz`. */
static inline struct deadline deadline_in(uint64_t ms, uint64_t hz)
{
	return (struct deadline){ .start = clock_now(), .ticks = ticks_from_ns(ms * 1000000, hz) };
}

/* Call this between two polls of the device; it rests for a moment. */
static inline bool deadline_passed(struct deadline *d)
{
	clock_relax();
	return ++d->looks > DEADLINE_LOOKS && clock_now() - d->start >= d->ticks;
}

/* Wait until the bits `mask` of the register are `wanted`. False: not before the deadline. */
static inline bool deadline_until(uint64_t address, uint32_t mask, uint32_t wanted,
				  struct deadline *d)
{
	while ((arch_mmio_read32(address) & mask) != wanted)
		if (deadline_passed(d))
			return false;
	return true;
}

/* Wait for `ms`, with a TSC of `hz`, without looking at a device. */
static inline void deadline_sleep(uint64_t ms, uint64_t hz)
{
	struct deadline d = deadline_in(ms, hz);

	while (!deadline_passed(&d))
		;
}

/* Time waited so far, ns. */
static inline uint64_t deadline_waited_ns(const struct deadline *d, uint64_t hz)
{
	return ticks_to_ns(clock_now() - d->start, hz);
}
