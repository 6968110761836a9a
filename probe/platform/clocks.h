/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks that the TSC is watched by. */
#pragma once

#include "core/firmware/acpi.h"
#include "core/gaps/platform.h"
#include "drivers/refclock.h"

#define CLOCKS_MAX 2 /* HPET and PM timer; the RTC needs nothing */

struct clocks {
	struct refclock refclock[CLOCKS_MAX];
	unsigned count;
	bool has_other; /* of the processor: other_clock.h */
	unsigned other; /* its number */
};

/*
 * Find the clocks that run without our doing, and hand them to the platform: the
 * finest first.
 */
void clocks_find(struct clocks *clocks, struct platform *p, const struct acpi_info *acpi);

/* Read the n-th of the platform's; false: this reading failed. */
bool clocks_read(const struct clocks *clocks, unsigned n, struct clockwatch_reading *reading);
