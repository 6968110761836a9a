/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe: one window on one core, and the calibration that must precede a core's first window:
 * the time that sampling itself takes.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/gaps/platform.h"

#include <stdbool.h>
#include <stdint.h>

/* platform.window: sample from plan->start to plan->end on the calling core. */
void probe_window(struct cpu *cpu, struct platform_window *plan);

/* probe_window() with interrupts masked; a mask that has no effect is noted. Privileged. */
void probe_window_masked(struct cpu *cpu, struct platform_window *plan);

/* platform.before_window: discard the calling core's steps from before its next window. */
void probe_before_window(struct cpu *cpu);

/*
 * platform.delay: sample with an interruption of `ticks`, and check that it is found to be a gap.
 * The core's pieces must be calibrated.
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
 * Lower bound of a threshold, in ticks: the 99.9th percentile of the loop's sample interval and a
 * step of the clock. If a guest's host or another process interrupts the core all the time, this
 * looks like the loop's own interval; so it is measured again, at most CALIBRATE_TRIES times, until
 * it is below `wanted`. Otherwise like calibrate_loop().
 */
uint64_t calibrate_floor(struct cpu *cpu, uint64_t *scratch, uint64_t wanted);

/*
 * A spans_sample of only the loop, on a core whose loop is calibrated. A gap is an interval of many
 * times a sample, plus the way into the loop. Clears the core's sums.
 */
bool calibrate_span(struct cpu *cpu, uint64_t ticks, bool through);

/* Time the pieces of the slow path on the calling core: fills cost[]. Clears the core's sums. */
void calibrate_slow_path(struct cpu *cpu);
