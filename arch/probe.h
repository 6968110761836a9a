/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe: one window on one core. */
#ifndef ARCH_PROBE_H
#define ARCH_PROBE_H

#include "core/cpu.h"
#include "core/platform.h"

/* platform.window: sample from plan->start to plan->end on the calling core, interrupts masked. */
void probe_window(struct cpu *cpu, struct window_plan *plan);

/* platform.before_window: the calling core's counters, as they stand, come before its next window.
 */
void probe_before_window(struct cpu *cpu);

#endif
