/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grid of a kernel's ticks. Events that a scheduler causes begin at ticks, so the distance
 * between any two is a multiple of the tick. Many equal distances are then no evidence of a source,
 * because there are few distances to choose from (train_course.grid).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tick_grid {
	uint64_t period_ns; /* the tick's period; 0: no grid */
	uint64_t events;    /* events at a multiple of the tick from the one before */
	uint64_t jitter_ns; /* root mean square deviation of these distances from multiples */
	int64_t chance;     /* log10 in thousandths of the false-alarm probability */
};

/*
 * Find the slowest common kernel tick on whose grid most events are. There is none if nearly all
 * distances are the same: such events are a train. Times are ns, rising.
 */
struct tick_grid tick_grid_find(const uint64_t *t, size_t count);

/*
 * Returns "matches a kernel's tick of 250 Hz" if a tick has this period, within `slack_ppm`; else
 * NULL.
 */
const char *tick_grid_hint(uint64_t period_ns, uint32_t slack_ppm);
