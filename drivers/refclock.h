/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks of known rate other than the TSC: the HPET's main counter and the ACPI PM timer. They show
 * how fast the TSC runs, and check each other and CPUID.
 */
#pragma once

#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

struct refclock {
	const char *name; /* "hpet" "pmtimer" */
	uint64_t hz;
	uint32_t bits; /* width of the counter */
	uint64_t (*read)(const struct refclock *c);
	bool mmio;
	uint64_t base;
	bool was_off; /* switched on by refclock_open_hpet() */
};

/*
 * The HPET of the ACPI table. Its counter is switched on if it stands still,
 * and off again by refclock_close(). False when there is none or it is not plausible.
 */
bool refclock_open_hpet(struct refclock *c, const struct acpi_info *acpi);

/* The ACPI power-management timer, 3.579545 MHz. False when there is none or it stands still. */
bool refclock_open_pm_timer(struct refclock *c, const struct acpi_info *acpi);

void refclock_close(struct refclock *c);

/* Read a clock, and the TSC before and after: the tightest of `brackets` tries. */
uint64_t refclock_pair(const struct refclock *c, unsigned brackets, uint64_t *before,
		       uint64_t *after);

/* TSC rate found by one clock: ticks per second, over `ms` milliseconds. */
struct refclock_rate {
	const struct refclock *clock;
	uint64_t hz;
};

/*
 * Time the TSC against all `count` clocks (at most 4) at once, over `ms` milliseconds (at most
 * 1000). Each end is the tightest of several brackets, so that an interruption does not falsify the
 * result. A clock that stands still gets hz 0.
 */
void refclock_measure(struct refclock_rate *rate, unsigned count, uint32_t ms);
