/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels: fixed work in equal chunks, between which the clock is read. This is the processor's
 * part of arch/work.c.
 */
#pragma once

#define KERNEL_CHUNKS 256 /* chunks per quantum, or a multiple of it: kernels_chunks_at() */

/* Work of a chunk. It takes some 0.1 us, so that one that is a few times slower is no gap yet. */
#define KERNEL_ADDS_CHUNK 512
#define KERNEL_L2_CHUNK   32
#define KERNEL_LLC_CHUNK  8
#define KERNEL_DRAM_CHUNK 2 /* reads */
#define KERNEL_FMA_CHUNK  960

#define KERNEL_LINE      64
#define KERNEL_LINE_BITS 6

/*
 * The number of the next line of `dram` is this one's, times the factor, plus the increment, modulo
 * the number of lines, a power of two. Each line occurs once in a round, as the factor is 1 mod 4
 * and the increment odd (Knuth, The Art of Computer Programming, 3.2.1.2, theorem A; the numbers:
 * 3.3.4, table 1, line 16).
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
#define KERNEL_TO_GO 48
#define KERNEL_KEPT  56

#ifndef __ASSEMBLER__

#include "arch/work.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_work {
	uint64_t base;  /* ticks of a chunk without a gap */
	uint64_t limit; /* ticks from which a chunk holds one */
	uint64_t gaps;  /* out: ticks in gaps */
	void *at;       /* in and out: kernels that chase: a line; `dram`: its number */
	void *ring;     /* `dram`: all lines, zeroed */
	uint64_t last;  /* `dram`: number of the last line */
	uint64_t chunks;
	char kept[80]; /* `fma` on x86-64: saved registers of its caller */
};

/* Run one quantum; returns its ticks. Memory is only read. */
uint64_t kernel_adds(struct kernel_work *w);
uint64_t kernel_l2(struct kernel_work *w);
uint64_t kernel_llc(struct kernel_work *w);
/* The number of the next line depends on the value read, which is 0: reads are one by one. */
uint64_t kernel_dram(struct kernel_work *w);
/* Requires kernels_vectors(). Vector registers that a caller expects unchanged are unchanged. */
uint64_t kernel_fma(struct kernel_work *w);

/* True if the calling core may use its vector registers, and can execute `fma`. */
bool kernels_vectors(void);

/* Chunks of a quantum. */
uint32_t kernels_chunks(void);

/* The caches that the calling core reports, or the firmware; zeros: not reported. */
void kernels_caches(struct caches *c);

/*
 * Chunks of a quantum that is long compared with a tick of the clock, which is then at most 122 ppm
 * of it, from 5 MHz on. 0 Hz: the rate is unknown.
 */
uint32_t kernels_chunks_at(uint64_t hz);

#endif
