/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random: the same seed gives the same ones everywhere. */
#pragma once

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t draw_bits(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t draw_seed;

/* Of those below a number up to 2^31 (Knuth's constants for a linear congruence). */
static inline uint64_t draw(uint64_t below)
{
	draw_seed = draw_seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (draw_seed >> 33) % below;
}
