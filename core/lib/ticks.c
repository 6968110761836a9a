/* SPDX-License-Identifier: BSD-2-Clause */
/* Not inline, as some fifty places convert. */
#include "ticks.h"

#include "arith.h"

uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

uint64_t ticks_from_ns(uint64_t ns, uint64_t hz)
{
	return ns / NS_PER_S * hz + (ns % NS_PER_S * hz + NS_PER_S - 1) / NS_PER_S;
}

uint64_t ticks_ppm_apart(uint64_t a, uint64_t b)
{
	uint64_t apart = arith_apart(a, b);

	return apart > UINT64_MAX / 1000000 ? UINT64_MAX : apart * 1000000 / (b ? b : 1);
}
