/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be known of a core before its first window: how long sampling itself takes. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdint.h>

#define CALIBRATE_INTERVALS 1024

/*
 * Measure the loop's own sample interval on the calling core, interrupts
 * masked: fills interval_p50, interval_p999, interval_floor and quantum. scratch
 * holds CALIBRATE_INTERVALS numbers.
 */
void calibrate_loop(struct cpu *cpu, uint64_t *scratch);

/* Nothing but the loop for so long, on a core whose loop is calibrated. Clears the core's sums. */
void calibrate_span(struct cpu *cpu, uint64_t ticks);

/* Time the pieces of the slow path on the calling core: fills cost[]. Clears the core's sums. */
void calibrate_slow_path(struct cpu *cpu);
