/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The battery-backed real-time clock behind ports 70h and 71h, which runs even if all other clocks
 * stop. It is only read.
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
