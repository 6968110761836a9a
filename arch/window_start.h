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
 * Wait for the tick *from, and read counters and clock in turn. A step came before the start if
 * its reading was followed by a sample that also lies before the start. *now is the last sample.
 * True: a gap of at least `held` ticks lies between *from and *now, and the window begins with it;
 * the return is short then, as another gap may follow. False: *now is the window's first sample.
 */
bool window_start_wait(struct cpu *cpu, uint64_t held, uint64_t *from, uint64_t *now);
