/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The battery-backed real-time clock behind ports 70h and 71h, which goes on when
 * all else stands still. Only read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The tables deny it: from now on its ports, which may be another's, are left alone. */
void rtc_is_absent(void);

/*
 * Seconds since 1 January 2000, by the RTC's own calendar. False when there is none,
 * when it is not set, or when it does not hold still long enough to be read. Takes some
 * 10 to 50 port accesses, and waits up to 3 ms while the clock updates itself.
 */
bool rtc_read(uint64_t *seconds);

/*
 * The TSC's rate by the RTC's seconds, in Hz, off by at most 1/512: for where there is no better
 * clock. Takes 2 to 31 seconds; 0 where there is no RTC, where it stands still, and where no two
 * changes of its seconds could be seen closely enough.
 */
uint64_t rtc_measure(void);
