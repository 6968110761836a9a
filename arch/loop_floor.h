/* SPDX-License-Identifier: BSD-2-Clause */
/* The least threshold that the loop can keep. */
#pragma once

#include "core/gaps/cpu.h"

#include <stdint.h>

#define LOOP_FLOOR_TRIES 256

/*
 * A threshold, in ticks, has to be above this: the 99.9th percentile of the loop's sample interval
 * and a step of the clock. Where the host of a guest, or another process, takes the core away all
 * the time, that poses as the loop's own; so it is measured again, at most LOOP_FLOOR_TRIES times,
 * until it is below `wanted`. As calibrate_loop() otherwise.
 */
uint64_t loop_floor(struct cpu *cpu, uint64_t *scratch, uint64_t wanted);
