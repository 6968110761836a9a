/* SPDX-License-Identifier: BSD-2-Clause */
#include "caches.h"

#define BEYOND_LEAST (UINT64_C(32) << 20)

uint64_t caches_beyond(const struct caches *c, uint64_t most)
{
	uint64_t last = c->l3 > c->l2 ? c->l3 : c->l2, bytes = BEYOND_LEAST;

	if (!last || last > most)
		return 0;
	while (bytes < last + last / 2)
		bytes *= 2;
	return bytes <= most ? bytes : 0;
}
