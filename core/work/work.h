/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of a platform to modes whose cores work: pieces of fixed work, each a *quantum*. */
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

/* The work of a kernel in a quantum, as a number of equal steps. */
struct work_unit {
	uint64_t count;
	const char *name; /* "adds" */
};

/* Fraction of free memory for rings of single cores; the ring of `dram` may take a quarter. */
#define WORK_OWN_SHARE 8

/* A ring of `dram` that some cores read together: each continues where the last of them ended. */
struct work_round {
	void *ring; /* its size is that of arch_work_lay()'s ring */
	uint64_t quanta;
} __attribute__((aligned(CPU_LINE)));

struct work_room {
	/*
	 * Run one quantum on the calling core. best: ticks of the quickest so far; 0: do not look
	 * for gaps. A part of the quantum that takes `threshold` ticks longer than its share of
	 * `best` has a gap.
	 */
	void (*quantum)(struct cpu *cpu, enum config_kernel kernel, uint64_t best,
			uint64_t threshold, struct work_quantum *q);
	const struct work_unit *unit; /* by kernel */
	uint32_t kernels;             /* 1 << enum config_kernel: those that all cores have */
	const char *lacks[KERNELS];   /* why the kernel is missing; NULL: the processor lacks it */
	unsigned cache_bits; /* cores whose APIC ids differ in so many low bits share a cache; 0:
				not known */
	/*
	 * Call this before the first quantum. The core at this position gets rings of its own in
	 * `own`, which is `own_bytes` of zeros on a page boundary, and shares `round`. NULL: as set
	 * by arch_work_lay(), where cores share the ring that they read. own_bytes is 0 if the
	 * caches are unknown.
	 */
	void (*settle)(uint32_t position, void *own, struct work_round *round);
	uint64_t own_bytes;
	void *kept; /* the mode's own memory: zeros, with the size that struct mode has */
};
