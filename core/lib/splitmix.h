/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random, the same everywhere: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
#pragma once

#include <stdint.h>

/* Map consecutive numbers to unrelated ones. */
static inline uint64_t splitmix_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The next number; *state may begin as any number. */
static inline uint64_t splitmix_next(uint64_t *state)
{
	return splitmix_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}
