/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks that the TSC is compared with. */
#pragma once

#include "core/firmware/acpi.h"
#include "core/gaps/platform.h"
#include "drivers/refclock.h"

#define CLOCKS_MAX 2 /* HPET and PM timer; the RTC needs nothing */

struct clocks {
	struct refclock refclock[CLOCKS_MAX];
	unsigned count;
	bool has_other; /* the processor has another clock: isa.h */
	unsigned other; /* index of that clock */
};

/*
 * Find the clocks that already run, and add them to the platform: HPET, PM timer, RTC, the
 * processor's other clock.
 */
void clocks_find(struct clocks *clocks, struct platform *p, const struct acpi_info *acpi);

/* Read the platform's n-th clock. False: this reading failed. */
bool clocks_read(const struct clocks *clocks, unsigned n, struct clockwatch_reading *reading);
