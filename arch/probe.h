/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe: sampling one window on one core, and what must be known before the first. */
#ifndef ARCH_PROBE_H
#define ARCH_PROBE_H

#include "core/cpu.h"
#include "core/platform.h"

#define PROBE_INTERVALS 1024

/*
 * Measure the loop's own sample interval on the calling core, interrupts
 * masked: fills interval_p50, interval_p999, interval_floor and quantum. scratch
 * holds PROBE_INTERVALS numbers.
 */
void probe_intervals(struct cpu *cpu, uint64_t *scratch);

/* Time the pieces of the slow path on the calling core: fills cost[]. Clears the core's sums. */
void probe_calibrate(struct cpu *cpu);

/* platform.window: sample from plan->start to plan->end on the calling core, interrupts masked. */
void probe_window(struct cpu *cpu, struct window_plan *plan);

#endif
