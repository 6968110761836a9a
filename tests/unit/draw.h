/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random: the same seed gives the same ones everywhere. */
#pragma once

#include "core/lib/splitmix.h"

#include <stdint.h>

static inline uint64_t draw_bits(uint64_t *seed)
{
	return splitmix_next(seed);
}

static uint64_t draw_seed;

/* Of those below a number up to 2^31 (Knuth's constants for a linear congruence). */
static inline uint64_t draw(uint64_t below)
{
	draw_seed = draw_seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (draw_seed >> 33) % below;
}
