/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a mode that works (core/config/mode.h) asks of a processor: pieces of fixed work, of which
 * arch/kernels.h has those that each processor has its own code for, and the sizes of its caches.
 */
#pragma once

#include "core/gaps/cpu.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Sizes of a core's caches ---- */

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

/* ---- The work ---- */

struct work_room; /* of that mode */

/* A core's caches, where it reports them to no program: before all that follows. */
void arch_work_caches(const struct caches *c);

/* What the kernels and that room need for so many cores; page-aligned memory. */
size_t arch_work_bytes(uint32_t cpus);

/*
 * What a kernel that reads a ring larger than all caches of so many cores takes besides:
 * page-aligned memory, best in large pages; at most a quarter of a machine's so many bytes, and
 * 2 GiB. 0: that is too little, or the caches are not known, or there is no such kernel.
 */
uint64_t arch_work_ring_bytes(uint32_t cpus, uint64_t machine);

/*
 * Make both, which are all zeros, ready: the room is at the start of `memory`. ring: NULL: there
 * is none, and the room's kernels are without what reads it. count: steps of the calling core's
 * counters since the last call; NULL: it has none.
 */
struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e));

/* On each core: strike from the room's kernels what it has not. */
void arch_work_find(struct work_room *s);
