/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks of known rate other than the TSC: the HPET's main counter and the ACPI PM timer. They show
 * how fast the TSC runs, and check each other and CPUID.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/gaps/clockwatch.h"

#include <stdbool.h>
#include <stdint.h>

struct refclock {
	const char *name; /* "hpet" "pmtimer" "pit" "cntpct" */
	uint64_t hz;
	uint32_t bits; /* width of the counter */
	uint64_t (*read)(const struct refclock *c);
	bool mmio;
	uint64_t base;
	bool was_off;    /* switched on by refclock_open_hpet() */
	uint64_t tsc_hz; /* the TSC's rate, by refclock_measure() */
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
struct clockwatch_reading refclock_read(const struct refclock *c, unsigned brackets);

/*
 * Time the TSC against all `count` clocks (at most 4) at once, over `ms` milliseconds (at most
 * 1000), and set their tsc_hz. Each end is the tightest of several brackets, so that an
 * interruption does not falsify the result. A clock that stands still gets 0.
 */
void refclock_measure(struct refclock *clock, unsigned count, uint32_t ms);

/*
 * The TSC's rate by counter 2 of the 8254, in Hz, with an error of at most 1/1000: for machines
 * without a better clock, such as QEMU's microvm. Takes 40 to 160 ms. The counter is the speaker's,
 * which stays silent; neither firmware nor an OS has a timer there. 0 if there is none, if it
 * stands still, or if no two measurements agree.
 */
uint64_t refclock_measure_pit(void);
