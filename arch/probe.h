/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe: one window on one core. */
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
