/* SPDX-License-Identifier: BSD-2-Clause */
/* The chipset's timers as sources of SMIs that the firmware's own handler takes. */
#pragma once

#include "tests/inject/plan.h"

#include <stdint.h>

/*
 * Each starts a timer and returns its period in ns; 0, with a line on the console,
 * where this is not an ICH9 or it does not take what is written.
 */

/* The TCO watchdog at its shortest. QEMU reloads it and never resets (strap "noreboot"). */
uint64_t tco_start(void);

/* The software SMI timer. rate: below PLAN_SWSMI_RATES, for 1.5, 16, 32, 64 ms. QEMU 10 has it. */
uint64_t swsmi_start(uint32_t rate);
