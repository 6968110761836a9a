/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe: one window on one core, and what must be known of a core before its first one: how
 * long sampling itself takes.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

/* platform.window: sample from plan->start to plan->end on the calling core. */
void probe_window(struct cpu *cpu, struct platform_window *plan);

/* The same with interrupts masked, which is noted where they are not. Privileged. */
void probe_window_masked(struct cpu *cpu, struct platform_window *plan);

/* platform.before_window: what the calling core's counters show belongs before its next window. */
void probe_before_window(struct cpu *cpu);

/*
 * platform.delay: sample, be away for `ticks` on the way, and see whether that is
 * found to be a gap. The core's pieces are calibrated.
 */
bool probe_delay(struct cpu *cpu, uint64_t ticks);

/* ---- Calibration: calibrate.c ---- */

#define CALIBRATE_INTERVALS 1024
#define CALIBRATE_TRIES     256

/*
 * Measure the loop's own sample interval on the calling core, interrupts
 * masked: fills interval_p50, interval_p999, interval_floor and quantum. scratch
 * holds CALIBRATE_INTERVALS numbers.
 */
void calibrate_loop(struct cpu *cpu, uint64_t *scratch);

/*
 * A threshold, in ticks, has to be above this: the 99.9th percentile of the loop's sample interval
 * and a step of the clock. Where the host of a guest, or another process, takes the core away all
 * the time, that poses as the loop's own; so it is measured again, at most CALIBRATE_TRIES times,
 * until it is below `wanted`. As calibrate_loop() otherwise.
 */
uint64_t calibrate_floor(struct cpu *cpu, uint64_t *scratch, uint64_t wanted);

/*
 * spans_sample: nothing but the loop, on a core whose loop is calibrated. A gap is what takes
 * many times as long as a sample, with what there is on the way into the loop. Clears the core's
 * sums.
 */
bool calibrate_span(struct cpu *cpu, uint64_t ticks, bool through);

/* Time the pieces of the slow path on the calling core: fills cost[]. Clears the core's sums. */
void calibrate_slow_path(struct cpu *cpu);
