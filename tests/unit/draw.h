/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random: the same seed gives the same ones everywhere. */
#pragma once

#include "core/lib/splitmix.h"

#include <math.h>
#include <stdint.h>

static inline uint64_t draw_bits(uint64_t *seed)
{
	return splitmix_next(seed);
}

/* In (0, 1]. */
static inline double draw_uniform(uint64_t *seed)
{
	return ((double)(draw_bits(seed) >> 11) + 1) / 0x1p53;
}

/* Box and Muller. */
static inline double draw_normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(draw_uniform(seed)));

	return radius * cos(2 * M_PI * draw_uniform(seed));
}

/* A Poisson number, by counting exponential waits. */
static inline uint64_t draw_poisson(uint64_t *seed, double mean)
{
	uint64_t count = 0;

	for (double at = -log(draw_uniform(seed)); at < mean; at -= log(draw_uniform(seed)))
		count++;
	return count;
}

static uint64_t draw_seed;

/* A number below `below`, at most 2^31 (Knuth's constants for a linear congruence). */
static inline uint64_t draw(uint64_t below)
{
	draw_seed = draw_seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (draw_seed >> 33) % below;
}
