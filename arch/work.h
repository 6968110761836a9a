/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a mode that works (core/config/mode.h) asks of a processor: pieces of fixed work, of which
 * arch/kernels.h has those that each processor has its own code for.
 */
#pragma once

#include "arch/caches.h"
#include "core/gaps/cpu.h"

#include <stddef.h>
#include <stdint.h>

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
