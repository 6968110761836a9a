/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a mocked core, which passes over the time up to the next gap or the end. */
#pragma once

#include <stdint.h>

/* Mock of the loops in arch/, with the same results. */
uint64_t loop_sample(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
		     uint64_t *now);
void loop_intervals(uint64_t *interval, uint64_t count);
