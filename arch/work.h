/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a processor to modes that work (core/config/mode.h): pieces of fixed work, of which
 * arch/kernels.h has those with code per processor, and the sizes of its caches.
 */
#pragma once

#include "core/gaps/cpu.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Sizes of a core's caches ---- */

struct caches {
	uint64_t l1, l2, l3; /* bytes for data; 0: there is none, or it is not known */
	/* Cores whose APIC ids differ in only so many low bits share the last level; 0: unknown. */
	unsigned l3_bits;
};

/* Add a data cache of `level`, from 1 on; of those past the second, the largest counts. */
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
 * Bytes of a ring of which caches of `cpus` cores hold nearly nothing: a power of two from 32 MiB
 * on, 8 times the last level, and twice the last levels of all cores together. If a ring is hardly
 * larger than a cache, the cache still has a part of it, which depends on other work. The ring is
 * smaller if `most`, 2^62 at most, is; 0: it would be less than 1.5 times the last level, or than
 * 32 MiB, or the caches are unknown.
 */
uint64_t caches_beyond(const struct caches *c, uint32_t cpus, uint64_t most);

/* ---- The work ---- */

struct work_room; /* state of such a mode */

/* Bytes, page-aligned, for the kernels and struct work_room on `cpus` cores. */
size_t arch_work_bytes(uint32_t cpus);

/*
 * Bytes of the ring that exceeds all caches of `cpus` cores: page-aligned memory, best in large
 * pages; at most a quarter of the machine's `machine` bytes, and 2 GiB. 0: that is too little, or
 * the caches are not known, or no kernel reads such a ring.
 */
uint64_t arch_work_ring_bytes(uint32_t cpus, uint64_t machine);

/*
 * Prepare both memories, which are all zeros; the room is at the start of `memory`. ring NULL:
 * there is none, and the room lacks the kernels that read it. count: gets steps of the calling
 * core's counters since the last call; NULL: it has none.
 */
struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e));

/* On each core: remove from the room's kernels those that the core lacks. */
void arch_work_find(struct work_room *s);
