/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The battery-backed real-time clock behind ports 70h and 71h, which runs even if all other clocks
 * stop. It is only read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The tables deny that there is an RTC: from now on do not use its ports, which may belong to
 * another device.
 */
void rtc_is_absent(void);

/*
 * Seconds since 1 January 2000, by the RTC's own calendar. False when there is none,
 * when it is not set, or when it does not hold still long enough to be read. Takes some
 * 10 to 50 port accesses, and waits up to 3 ms while the clock updates itself.
 */
bool rtc_read(uint64_t *seconds);

/*
 * The TSC's rate from the RTC's seconds, in Hz, with an error of at most 1/512: for machines
 * without a better clock. Takes 2 to 31 seconds. 0 if there is no RTC, if it stands still, or if no
 * two changes of its seconds were seen closely enough.
 */
uint64_t rtc_measure(void);
