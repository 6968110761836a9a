/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's way to the first sample of a window, and which steps of its counters came before it. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Counters that measure gaps count from their last reading, so read them as late as possible. If
 * something delays the core until too near the start, they are not read, and their steps may go
 * to the first gap. `start`: of the window, ticks of this core's clock.
 */
void window_start_steps(struct cpu *cpu, uint64_t start);

/*
 * Wait for the tick *from while reading counters and clock in turn. Steps of a reading of counters
 * are from before the start if the sample that followed it is before the start, too. *now is the
 * last sample. True: from *from to *now there is a gap of at least `held` ticks, with which the
 * window begins; the return is short then, as another gap may follow. False: *now is the window's
 * first sample.
 */
bool window_start_wait(struct cpu *cpu, uint64_t held, uint64_t *from, uint64_t *now);
