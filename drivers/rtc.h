/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The battery-backed real-time clock behind ports 70h and 71h, which goes on when
 * all else stands still. Only read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Seconds since 1 January 2000, by the RTC's own calendar. False when there is none,
 * when it is not set, or when it does not hold still long enough to be read. Takes some
 * 10 to 50 port accesses, and waits up to 3 ms while the clock updates itself.
 */
bool rtc_read(uint64_t *seconds);

/*
 * The TSC's rate from one of the RTC's seconds to the next, in Hz, as good as some hundred ppm:
 * for where there is no better clock. Takes one to two seconds; 0 where there is none, or it
 * stands still.
 */
uint64_t rtc_measure(void);
