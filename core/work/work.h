/* SPDX-License-Identifier: BSD-2-Clause */
/* What a platform has for a mode whose cores work: pieces of fixed work, each a *quantum*. */
#pragma once

#include "core/gaps/cpu.h"
#include "core/cause/attribution.h"
#include "core/config/config.h"

#include <stdint.h>

/* One quantum as it was measured. */
struct work_quantum {
	uint64_t ticks;         /* from its begin to its end; not 0 */
	uint64_t gaps;          /* ticks of these in gaps; less than all */
	uint64_t reads;         /* ticks of both reads of the counters */
	struct evidence counts; /* `have` and `step` across it */
};

/* What a kernel does in a quantum: so many of these. */
struct work_unit {
	uint64_t count;
	const char *name; /* "adds" */
};

/* Of what is free, at most, for the rings that single cores have; that of `dram` may take a
 * quarter.
 */
#define WORK_OWN_SHARE 8

/* The ring of `dram` that some cores read together: each goes on where the last of them was. */
struct work_round {
	void *ring; /* as large as that of arch_work_lay() */
	uint64_t quanta;
} __attribute__((aligned(CPU_LINE)));

struct work_room {
	/*
	 * Run one quantum on the calling core. best: ticks of the quickest so far; in what a
	 * part of the quantum takes `threshold` ticks longer than its share of that, there is a
	 * gap. 0: none is looked for.
	 */
	void (*quantum)(struct cpu *cpu, enum config_kernel kernel, uint64_t best,
			uint64_t threshold, struct work_quantum *q);
	const struct work_unit *unit; /* by kernel */
	uint32_t kernels;             /* 1 << enum config_kernel: those that all cores have */
	const char *lacks[KERNELS];   /* why that kernel is missing; NULL: the processor's */
	unsigned cache_bits; /* cores whose APIC ids differ in so many low bits share a cache; 0:
				not known */
	/*
	 * Before the first quantum: the core at that position has rings of its own in `own`, which
	 * are `own_bytes` of zeros on a page boundary, and is on that round. NULL: as
	 * arch_work_lay() has it, where cores share what they read. own_bytes is 0 where the caches
	 * are not known.
	 */
	void (*settle)(uint32_t position, void *own, struct work_round *round);
	uint64_t own_bytes;
	void *kept; /* the mode's own: zeros, as many bytes as struct mode asks for */
};
