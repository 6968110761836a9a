/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of a core's caches. */
#pragma once

#include <stdint.h>

struct caches {
	uint64_t l1, l2, l3; /* bytes for data; 0: there is none, or it is not known */
	/* Cores whose APIC ids differ in so many low bits share the last level; 0: not known. */
	unsigned l3_bits;
};

/* A cache for data, by its level from 1 on; of those past the second the largest counts. */
static inline void caches_add(struct caches *c, uint64_t level, uint64_t bytes)
{
	if (level == 1)
		c->l1 = bytes;
	else if (level == 2)
		c->l2 = bytes;
	else if (level > 2 && bytes > c->l3)
		c->l3 = bytes;
}

/*
 * Bytes of a ring that so many cores find in none of their caches: a power of two from 32 MiB on,
 * 8 times the last level, and twice the last levels of all cores together. Of one that is hardly
 * larger than a cache, that cache still answers a part, and how large a part is up to what others
 * do in it. It is smaller where `most`, 2^62 at most, is less; 0: it would be less than 1.5 times
 * the last level, or than 32 MiB, or they are not known.
 */
uint64_t caches_beyond(const struct caches *c, uint32_t cpus, uint64_t most);
