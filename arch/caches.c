/* SPDX-License-Identifier: BSD-2-Clause */
#include "caches.h"

#include "core/lib/arith.h"

#define BEYOND_LEAST (UINT64_C(32) << 20)
#define BEYOND_TIMES UINT64_C(8)

uint64_t caches_beyond(const struct caches *c, uint32_t cpus, uint64_t most)
{
	uint64_t last = c->l3 > c->l2 ? c->l3 : c->l2, bytes = BEYOND_LEAST, times = BEYOND_TIMES;

	if (!last || last > most || bytes > most)
		return 0;
	if (c->l3_bits)
		times = arith_max(times, UINT64_C(2) * (cpus >> c->l3_bits));
	while (bytes / times < last && bytes <= most / 2)
		bytes *= 2;
	return bytes >= last + last / 2 ? bytes : 0;
}
