/* SPDX-License-Identifier: BSD-2-Clause */
/* The chipset's TCO watchdog as a source of SMIs that the firmware's own handler takes. */
#ifndef INJECT_TCO_H
#define INJECT_TCO_H

#include <stdbool.h>
#include <stdint.h>

#define TCO_PERIOD_NS UINT64_C(1200000000) /* the shortest: 2 ticks of 0.6 s */

/*
 * Let the watchdog run and raise an SMI each time it expires; QEMU reloads it
 * and never resets (strap "noreboot"). False, with a line on the console, when
 * this is not an ICH9.
 */
bool tco_start(void);

#endif
