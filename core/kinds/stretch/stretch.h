/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much longer a fixed piece of work, a *quantum*, takes than at best on the same core: stretch
 * S = T/T_best, its distribution, and what its mean is made of. Ratios (core/lib/ratio.h) become
 * parts per million in a record.
 */
#pragma once

#include "core/work/work.h"
#include "core/lib/value.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Log-linear histogram of ticks above the best: a bucket is at most 1/32 of its lower edge wide,
 * and the last one has all from 2^36 on (17 s at 4 GHz).
 */
#define STRETCH_SUB_BITS 5
#define STRETCH_SUB      (1u << STRETCH_SUB_BITS)
#define STRETCH_MAX_BITS 36
#define STRETCH_BUCKETS  ((STRETCH_MAX_BITS - STRETCH_SUB_BITS + 1) * STRETCH_SUB)

#define STRETCH_TURNS 20 /* of each phase, one after the other */

/* The quickest quantum of a core and kernel. */
struct stretch_best {
	uint64_t ticks; /* 0: none so far */
	uint64_t reads; /* ticks of reading the counters, the least of all quanta */
	uint32_t have;  /* EVIDENCE() of what was counted across it */
	uint64_t step[EVIDENCE_KINDS];
};

/* The quanta of a core, a kernel and a phase. */
struct stretch_sums {
	uint64_t quanta, ticks, gaps, max;
	uint64_t base; /* ticks above which the histogram counts: the best, but for 122 ppm */
	uint64_t calm; /* quanta without a gap; of those: */
	uint32_t have; /* EVIDENCE() of what was counted across each */
	uint64_t step[EVIDENCE_KINDS];
	uint64_t aperf, mperf; /* of these, before this turn; or cycles and ns */
	/* Turns with a known clock: when each ended, and APERF over MPERF in it, ppm. */
	uint64_t course[STRETCH_TURNS][2];
	uint32_t turns;
	uint32_t count[STRETCH_BUCKETS];
};

/* What the mean S is the product of. Not known: there is no evidence, and it is in `rest`. */
struct stretch_factors {
	struct maybe gaps;  /* all ticks over those outside gaps */
	struct maybe clock; /* core cycles in a tick at best, over those in the mean */
	struct maybe cpi;   /* cycles per instruction in the mean, over those at best */
	struct maybe rest;  /* what these leave of S */
};

/*
 * Before a quantum is added: drop its counts if their reads took `threshold` ticks longer than the
 * quickest. Then a gap fell between them, and one counter's step has it and another's has not.
 */
void stretch_counts_check(struct stretch_best *best, struct work_quantum *q, uint64_t threshold);

void stretch_add(struct stretch_sums *s, const struct work_quantum *q);
void stretch_best_add(struct stretch_best *best, const struct work_quantum *q);

/* A turn, of STRETCH_TURNS at most, ended at that time. */
void stretch_turn(struct stretch_sums *s, uint64_t ns);

/* The lower edge of a bucket, ticks above the best. */
uint64_t stretch_low(size_t bucket);

/*
 * How many ticks above `best` the q-th of 10,000 parts of the quanta took at most: never less than
 * it was. 0 where there are none, or it took no longer.
 */
uint64_t stretch_quantile(const struct stretch_sums *s, uint64_t best, unsigned q);

/*
 * The best, if these are of a core alone: what one of 100 quanta took at most, by the lower edge of
 * its bucket. 0: there are none.
 */
uint64_t stretch_best(const struct stretch_sums *s);

/* The mean S. 0: there are no quanta. */
uint64_t stretch_mean(const struct stretch_sums *s, uint64_t best);

/* In parts per million: 1000000 is 1. quickest: with the counters of clock and cpi at best. */
void stretch_factors(const struct stretch_sums *s, uint64_t best,
		     const struct stretch_best *quickest, struct stretch_factors *f);

#define STRETCH_PAIRS 256

/*
 * The histogram as [ppm above 1, count], eight buckets to an octave, without empty ones: returns
 * how many there are.
 */
size_t stretch_pairs(const struct stretch_sums *s, uint64_t best, uint64_t pairs[STRETCH_PAIRS][2]);

/* ticks above the best in parts per million of it, rounded up. */
uint64_t stretch_above(uint64_t ticks, uint64_t best);
