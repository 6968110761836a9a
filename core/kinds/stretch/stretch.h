/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A *quantum* is a fixed piece of work. Its *stretch* is how much longer it takes than the core's
 * best quantum: S = T/T_best. Here are the distribution of S, and the factors of its mean. Records
 * have ratios (core/lib/ratio.h) as parts per million.
 */
#pragma once

#include "core/work/work.h"
#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The histogram of ticks above the best is log-linear: a bucket is at most 1/32 of its lower edge
 * wide, and the last one holds everything from 2^36 on (17 s at 4 GHz).
 */
#define STRETCH_SUB_BITS 5
#define STRETCH_SUB      (1u << STRETCH_SUB_BITS)
#define STRETCH_MAX_BITS 36
#define STRETCH_BUCKETS  ((STRETCH_MAX_BITS - STRETCH_SUB_BITS + 1) * STRETCH_SUB)

#define STRETCH_TURNS 20 /* consecutive turns of each phase */

/* The quickest quantum of a core and kernel. */
struct stretch_best {
	uint64_t ticks; /* 0: none so far */
	uint64_t reads; /* ticks that reading the counters took, the least of all quanta */
	uint32_t have;  /* counters read: bits of EVIDENCE() */
	uint64_t step[EVIDENCE_KINDS];
};

/* The quanta of a core, a kernel and a phase. */
struct stretch_sums {
	uint64_t quanta, ticks, gaps, max;
	uint64_t base; /* ticks at the histogram's zero: the best, within 122 ppm */
	uint64_t calm; /* quanta without a gap; of these: */
	uint32_t have; /* counters read across each of these: bits of EVIDENCE() */
	uint64_t step[EVIDENCE_KINDS];
	uint64_t aperf, mperf; /* their steps up to the last turn's end; or cycles and ns */
	/* Turns with a known clock: when each ended, ns, and its APERF over MPERF, ppm. */
	uint64_t course[STRETCH_TURNS][2];
	uint32_t turns;
	uint32_t count[STRETCH_BUCKETS];
};

/*
 * Call this before a quantum is added. It drops the quantum's counts if reading them took
 * `threshold` ticks longer than the quickest reading: a gap fell between two reads, so that some
 * counters include it and others do not.
 */
void stretch_counts_check(struct stretch_best *best, struct work_quantum *q, uint64_t threshold);

void stretch_add(struct stretch_sums *s, const struct work_quantum *q);
void stretch_best_add(struct stretch_best *best, const struct work_quantum *q);

/* End a turn, one of at most STRETCH_TURNS, at the time `ns`. */
void stretch_turn(struct stretch_sums *s, uint64_t ns);

/*
 * The quantile q/10000 of the quanta, in ticks above `best`, rounded up to its bucket's edge. 0:
 * there are no quanta, or the quantile is not above the best.
 */
uint64_t stretch_quantile(const struct stretch_sums *s, uint64_t best, unsigned q);

/*
 * The best, in ticks, from quanta of a core that works alone: their first percentile, as the lower
 * edge of its bucket. 0: there are no quanta.
 */
uint64_t stretch_best(const struct stretch_sums *s);

/* The mean S. 0: there are no quanta. */
uint64_t stretch_mean(const struct stretch_sums *s, uint64_t best);

/*
 * Fill in the factors whose product is the mean S, in parts per million. A factor that is not known
 * is part of `rest`. `quickest` has the counters of the best quantum.
 *
 *   gaps   all ticks over those outside gaps
 *   clock  core cycles in a tick at best, over those in the mean
 *   cpi    cycles per instruction in the mean, over those at best
 *   rest   quotient of S and the factors above
 */
void stretch_factors(const struct stretch_sums *s, uint64_t best,
		     const struct stretch_best *quickest, struct record_stretch *f);

#define STRETCH_PAIRS 256

/*
 * Write the histogram as pairs [ppm above 1, count], with eight buckets per octave and without
 * empty ones. Returns the number of pairs.
 */
size_t stretch_pairs(const struct stretch_sums *s, uint64_t best, uint64_t pairs[STRETCH_PAIRS][2]);

/* Convert ticks above the best to parts per million of the best, rounded up. */
uint64_t stretch_above(uint64_t ticks, uint64_t best);
