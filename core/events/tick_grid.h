/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that begin at a kernel's ticks, as those do that its scheduler makes: the distance of any
 * two is a multiple of the tick. That many of them are as far apart is then no evidence of a
 * source with that period: they can come at few moments only (train_course.grid).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tick_grid {
	uint64_t period_ns; /* of the tick; 0: they are on none */
	uint64_t events;    /* on the grid with the one before them */
	uint64_t jitter_ns; /* root mean square of what their distances are off by */
	int64_t chance;     /* log10 in thousandths of the false-alarm probability */
};

/*
 * The slowest of the ticks that kernels are built with to which most events keep. None where
 * nearly all are equally far apart: that is a train. Times are ns, rising.
 */
struct tick_grid tick_grid_find(const uint64_t *t, size_t count);

/* "matches a kernel's tick of 250 Hz", or NULL: to within `slack_ppm`. */
const char *tick_grid_hint(uint64_t period_ns, uint32_t slack_ppm);
