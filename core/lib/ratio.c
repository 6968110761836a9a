/* SPDX-License-Identifier: BSD-2-Clause */
/* Long division, digit by digit, as 128-bit division needs a library. */
#include "ratio.h"

uint64_t ratio_share(uint64_t part, uint64_t whole, unsigned digits, bool up)
{
	uint64_t share, rest;

	/* Make room for ten times the remainder. */
	for (; whole > UINT64_MAX / 10; whole >>= 1)
		part >>= 1;
	share = part / whole;
	rest = part % whole;
	while (digits--) {
		rest *= 10;
		share = arith_sum(arith_times(share, 10), rest / whole);
		rest %= whole;
	}
	return arith_sum(share, up && rest);
}

uint64_t ratio_of(uint64_t a, uint64_t b)
{
	return b && a / b >> 33 == 0 ? ratio_share(a, b, 9, false) : 0;
}
