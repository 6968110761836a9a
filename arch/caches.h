/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of a core's caches. */
#pragma once

#include <stdint.h>

struct caches {
	uint64_t l1, l2, l3; /* bytes for data; 0: there is none, or it is not known */
	/* Cores whose APIC ids differ in so many low bits share the last level; 0: not known. */
	unsigned l3_bits;
};

/*
 * Bytes of a ring that is larger than all of them: a power of two from 32 MiB on, 1.5 times the
 * last level at least. 0: it would be more than `most`, 2^62 at most, or they are not known.
 */
uint64_t caches_beyond(const struct caches *c, uint64_t most);
