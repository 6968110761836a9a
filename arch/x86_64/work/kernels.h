/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels: fixed work in equal parts, between which the clock is read. */
#pragma once

#define KERNEL_CHUNKS 256 /* of a quantum */

/* Work of a chunk. It takes some 0.1 us, so that one that is a few times slower is no gap yet. */
#define KERNEL_ADDS_CHUNK 512
#define KERNEL_L2_CHUNK   32
#define KERNEL_LLC_CHUNK  8
#define KERNEL_DRAM_CHUNK 2 /* reads */
#define KERNEL_FMA_CHUNK  960

#define KERNEL_LINE      64
#define KERNEL_LINE_BITS 6

/*
 * The next line of `dram` is so many times this one and so much more, by the number of lines, a
 * power of two: each of them once in a round, as the factor is 1 mod 4 and the other odd (Knuth,
 * The Art of Computer Programming, 3.2.1.2, theorem A; the numbers: 3.3.4, table 1, line 16).
 */
#define KERNEL_DRAM_FACTOR 1664525
#define KERNEL_DRAM_MORE   1013904223

/* Offsets in struct kernel_work. */
#define KERNEL_BASE  0
#define KERNEL_LIMIT 8
#define KERNEL_GAPS  16
#define KERNEL_AT    24
#define KERNEL_RING  32
#define KERNEL_LAST  40
#define KERNEL_KEPT  48

#ifndef __ASSEMBLER__

#include <stdint.h>

struct kernel_work {
	uint64_t base;  /* ticks of a chunk without a gap */
	uint64_t limit; /* ticks from which a chunk holds one */
	uint64_t gaps;  /* out: ticks in gaps */
	void *at;       /* in and out, of those that chase: a line; of `dram`: its number */
	void *ring;     /* of `dram`: all lines, which are zeros */
	uint64_t last;  /* of `dram`: the last line's number */
	char kept[80];  /* of `fma`: registers that its caller expects as they were */
};

/* One quantum each; returns its ticks. Memory is only read. */
uint64_t kernel_adds(struct kernel_work *w);
uint64_t kernel_l2(struct kernel_work *w);
uint64_t kernel_llc(struct kernel_work *w);
/* Where the next line is, is known only when this one has been read. */
uint64_t kernel_dram(struct kernel_work *w);
/* FMA and AVX, enabled in XCR0. Of xmm6 to xmm15 each is as it was; upper halves are cleared. */
uint64_t kernel_fma(struct kernel_work *w);

#endif
