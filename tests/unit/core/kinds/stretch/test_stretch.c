/* SPDX-License-Identifier: BSD-2-Clause */
/* Quanta whose counters were set: what their distribution and the factors of their mean are. */
#include "core/kinds/stretch/stretch.h"
#include "core/lib/ratio.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define ONE       UINT64_C(1000000)
#define WITHIN    1000 /* 1e-3, in ppm */
#define ALL_COUNT (EVIDENCE(MPERF) | EVIDENCE(APERF) | EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS))

static struct stretch_sums sums;
static struct stretch_best best;
static struct record_stretch factors;

static void start(void)
{
	memset(&sums, 0, sizeof(sums));
	memset(&best, 0, sizeof(best));
}

/*
 * A million instructions on a core whose clock has `clock` of the TSC's ticks, per mille, and that
 * needs `cpi` cycles for an instruction, per mille; gaps come on top, in which cycles count, too.
 */
static struct work_quantum work(uint64_t clock, uint64_t cpi, uint64_t gaps)
{
	uint64_t cycles = 1000 * cpi, ticks = cycles * 1000 / clock;
	struct work_quantum q = { .ticks = ticks + gaps, .gaps = gaps };

	q.counts.have = ALL_COUNT;
	q.counts.step[EVIDENCE_MPERF] = ticks + gaps;
	q.counts.step[EVIDENCE_APERF] = cycles + gaps / 2;
	q.counts.step[EVIDENCE_CYCLES] = cycles + gaps / 2;
	q.counts.step[EVIDENCE_INSTRUCTIONS] = 1000000 + gaps / 3;
	return q;
}

static void add(struct work_quantum q, unsigned times)
{
	while (times--) {
		stretch_add(&sums, &q);
		stretch_best_add(&best, &q);
	}
	stretch_factors(&sums, best.ticks, &best, &factors);
}

static void is_about(struct maybe m, uint64_t ppm)
{
	assert_true(m.known);
	assert_in_range(m.value, ppm - WITHIN, ppm + WITHIN);
}

/* Check that the product of the known factors is the mean. */
static void is_whole(void)
{
	const struct maybe *m[] = { &factors.gaps, &factors.clock, &factors.cpi, &factors.rest };
	double product = 1, mean = (double)stretch_mean(&sums, best.ticks) / (double)RATIO_ONE;

	for (unsigned i = 0; i < 4; i++)
		product *= m[i]->known ? (double)m[i]->value / 1e6 : 1;
	assert_true(product > mean * 0.99999 && product < mean * 1.00001);
}

TEST_F(start, NULL, test_nothing_happens)
{
	add(work(1000, 1000, 0), 1000);
	assert_int_equal(stretch_mean(&sums, best.ticks), RATIO_ONE);
	assert_int_equal(stretch_quantile(&sums, best.ticks, 10000), 0);
	assert_int_equal(factors.gaps.value, ONE);
	assert_int_equal(factors.clock.value, ONE);
	assert_int_equal(factors.cpi.value, ONE);
	assert_int_equal(factors.rest.value, ONE);
	is_whole();
}

/*
 * Check the factors: the best is one quantum at the start, and all later quanta differ in one
 * thing.
 */
static void check(uint64_t clock, uint64_t cpi, uint64_t gaps, const uint64_t ppm[3])
{
	start();
	add(work(1000, 1000, 0), 1);
	add(work(clock, cpi, 0), 500000);
	if (gaps)
		add(work(clock, cpi, gaps), 500000);
	is_about(factors.gaps, ppm[0]);
	is_about(factors.clock, ppm[1]);
	is_about(factors.cpi, ppm[2]);
	is_about(factors.rest, ONE);
	is_whole();
}

TEST_F(start, NULL, test_each_factor)
{
	check(800, 1000, 0, (uint64_t[]){ ONE, 1250000, ONE });        /* throttled */
	check(900, 1000, 0, (uint64_t[]){ ONE, 1111111, ONE });        /* AVX's licence */
	check(1000, 2000, 0, (uint64_t[]){ ONE, ONE, 2000000 });       /* half the instructions */
	check(1000, 1000, 1000000, (uint64_t[]){ 1500000, ONE, ONE }); /* every other stopped */
	check(800, 2000, 2500000, (uint64_t[]){ 1500000, 1250000, 2000000 });
}

/* Time that clock and instructions do not explain is given to neither. */
TEST_F(start, NULL, test_rest)
{
	struct work_quantum slow = work(1000, 1000, 0);

	add(work(1000, 1000, 0), 1);
	slow.ticks += slow.ticks / 10;
	add(slow, 100000);
	is_about(factors.gaps, ONE);
	is_about(factors.clock, ONE);
	is_about(factors.cpi, ONE);
	is_about(factors.rest, 1100000);
	is_whole();
}

#define READS     500
#define THRESHOLD 1000

/* A gap between two reads of the counters, which adds to one step, is in no factor. */
TEST_F(start, NULL, test_a_gap_between_reads)
{
	struct work_quantum calm = work(1000, 1000, 0), torn = calm;

	calm.reads = READS;
	torn.reads = READS + THRESHOLD;
	torn.counts.step[EVIDENCE_INSTRUCTIONS] += 30000;
	for (unsigned i = 0; i < 10; i++) {
		struct work_quantum q = i % 2 ? calm : torn;

		stretch_counts_check(&best, &q, THRESHOLD);
		assert_int_equal(q.counts.have, i && i % 2 == 0 ? 0 : ALL_COUNT);
		if (i)
			add(q, 1);
	}
	assert_int_equal(sums.calm, 5);
	assert_int_equal(factors.cpi.value, 1000000);
	assert_int_equal(factors.clock.value, 1000000);
}

/*
 * Counts are those of the quickest quantum; of several that are as quick, of one that has counts.
 */
TEST_F(start, NULL, test_the_quickest_with_counts)
{
	struct work_quantum calm = work(1000, 1000, 0), slow = work(500, 1000, 0), torn = calm;

	slow.reads = calm.reads = READS;
	torn.reads = READS + THRESHOLD;
	stretch_counts_check(&best, &slow, THRESHOLD);
	add(slow, 1);
	assert_true(factors.cpi.known);
	stretch_counts_check(&best, &torn, THRESHOLD);
	add(torn, 1);
	assert_false(factors.cpi.known);
	add(calm, 1);
	assert_int_equal(factors.cpi.value, 1000000);
	add(torn, 1);
	assert_true(factors.cpi.known);
}

/* Reads that take a little longer are no gap. */
TEST_F(start, NULL, test_reads_below_the_threshold)
{
	struct work_quantum q = work(1000, 1000, 0);

	q.reads = READS;
	stretch_counts_check(&best, &q, THRESHOLD);
	stretch_best_add(&best, &q);
	q.reads = READS + THRESHOLD - 1;
	stretch_counts_check(&best, &q, THRESHOLD);
	assert_int_equal(q.counts.have, ALL_COUNT);
	q.reads = READS - 1;
	stretch_counts_check(&best, &q, THRESHOLD);
	q.reads = READS + THRESHOLD - 1;
	stretch_counts_check(&best, &q, THRESHOLD);
	assert_int_equal(q.counts.have, 0);
}

/* A turn has the clock of its quanta without a gap; where there are none, it has no clock. */
TEST_F(start, NULL, test_course)
{
	struct work_quantum uncounted = work(500, 1000, 0);

	add(work(1000, 1000, 0), 3);
	stretch_turn(&sums, 100);
	add(work(800, 1000, 0), 2);
	add(work(800, 1000, 1000000), 5);
	stretch_turn(&sums, 200);
	stretch_turn(&sums, 300);
	add(work(500, 1000, 1000), 1);
	stretch_turn(&sums, 400);
	add(work(1250, 1000, 0), 1);
	stretch_turn(&sums, 500);
	assert_int_equal(sums.turns, 3);
	assert_int_equal(sums.course[0][0], 100);
	assert_int_equal(sums.course[0][1], 1000000);
	assert_int_equal(sums.course[1][0], 200);
	assert_int_equal(sums.course[1][1], 800000);
	assert_int_equal(sums.course[2][0], 500);
	assert_int_equal(sums.course[2][1], 1250000);
	uncounted.counts.have &= ~EVIDENCE(MPERF);
	add(uncounted, 1);
	stretch_turn(&sums, 600);
	assert_int_equal(sums.turns, 3);
}

TEST_F(start, NULL, test_without_counters)
{
	static const uint32_t without[] = { EVIDENCE(MPERF), EVIDENCE(APERF), EVIDENCE(CYCLES),
					    EVIDENCE(INSTRUCTIONS) };

	for (unsigned i = 0; i < 4; i++) {
		struct work_quantum q = work(800, 2000, 0);

		start();
		add(work(1000, 1000, 0), 1);
		q.counts.have &= ~without[i];
		add(q, 1000);
		assert_int_equal(factors.clock.known, i >= 2);
		assert_int_equal(factors.cpi.known, i < 2);
		is_whole();
		/* A single quantum without the count, among many, is enough. */
		add(work(800, 2000, 0), 1000);
		assert_int_equal(factors.clock.known, i >= 2);
	}
	start();
	add((struct work_quantum){ .ticks = 1000 }, 1);
	add((struct work_quantum){ .ticks = 2500 }, 3);
	assert_false(factors.clock.known);
	assert_false(factors.cpi.known);
	assert_int_equal(factors.rest.value, 2125000);
	assert_int_equal(ratio_ppm(stretch_mean(&sums, best.ticks)), 2125000);
}

/* No quantum without a gap: nothing is known of the others' counters. */
TEST_F(start, NULL, test_only_gaps)
{
	add(work(1000, 1000, 1000000), 10);
	assert_false(factors.clock.known);
	assert_false(factors.cpi.known);
	assert_int_equal(factors.gaps.value, 2000000);
	assert_int_equal(factors.rest.value, ONE / 2);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Ever better quanta come late, so that what was counted has to move. */
TEST_F(start, NULL, test_quantiles)
{
	static uint64_t ticks[20000];
	const unsigned n = sizeof(ticks) / sizeof(ticks[0]);
	uint64_t z = 1;

	for (unsigned i = 0; i < n; i++) {
		z = z * UINT64_C(6364136223846793005) + 1442695040888963407;
		ticks[i] = 100000 - i / 200 + ((z >> 40) % 1000) * (z >> 33 & 1 ? 1 : 100);
		add((struct work_quantum){ .ticks = ticks[i] }, 1);
	}
	qsort(ticks, n, sizeof(*ticks), compare);
	for (unsigned q = 1; q <= 10000; q++) {
		uint64_t exact = ticks[((uint64_t)n * q + 9999) / 10000 - 1] - ticks[0];
		uint64_t seen = stretch_quantile(&sums, best.ticks, q);

		/* Never less, and not much more. */
		assert_in_range(seen, exact, exact + exact / 4 + 64);
	}
	assert_in_range(stretch_quantile(&sums, best.ticks, 10000), ticks[n - 1] - ticks[0],
			ticks[n - 1] - ticks[0]);
	/* Another phase was better still. */
	assert_int_equal(stretch_quantile(&sums, best.ticks - 50, 10000),
			 ticks[n - 1] - ticks[0] + 50);
}

/* Quanta quicker than the best count as the best. */
TEST_F(start, NULL, test_below_the_best)
{
	uint64_t pairs[STRETCH_PAIRS][2];

	assert_int_equal(stretch_best(&sums), 0);
	add((struct work_quantum){ .ticks = 900000 }, 1);
	assert_int_equal(stretch_best(&sums), 900000);
	add((struct work_quantum){ .ticks = 1000000 }, 98);
	assert_int_equal(stretch_best(&sums), 900000);
	add((struct work_quantum){ .ticks = 2000000 }, 1);
	assert_in_range(stretch_quantile(&sums, 0, 100), 900000, 900000);
	assert_in_range(stretch_quantile(&sums, 0, 200), 1000000, 1000000 + 100000 / 32);
	assert_int_equal(stretch_best(&sums), 900000);
	assert_int_equal(stretch_quantile(&sums, 1004000, 100), 0);
	assert_int_equal(stretch_quantile(&sums, 1004000, 9900), 0);
	assert_int_equal(stretch_quantile(&sums, 1004000, 10000), 996000);
	assert_int_equal(stretch_pairs(&sums, 1004000, pairs), 2);
	assert_int_equal(pairs[0][0], 0);
	assert_int_equal(pairs[0][1], 99);
	assert_int_equal(pairs[1][1], 1);
	stretch_factors(&sums, 1004000, &best, &factors);
	assert_in_range(factors.rest.value, 1009000 * 1000 / 1004 - 2, 1009000 * 1000 / 1004 + 2);
	/* The minimum was a single exception. */
	add((struct work_quantum){ .ticks = 1000000 }, 1);
	assert_in_range(stretch_best(&sums), 1000000 - 100000 / 32, 1000000);
}

/* Each better best shifts the counts, but not past the longest. */
TEST_F(start, NULL, test_pairs_are_no_longer_than_the_longest)
{
	uint64_t pairs[STRETCH_PAIRS][2], longest;
	size_t n;

	add((struct work_quantum){ .ticks = 100000000 }, 5);
	for (uint64_t ticks = 10000000; ticks > 1000000; ticks -= ticks / 10)
		add((struct work_quantum){ .ticks = ticks }, 1);
	n = stretch_pairs(&sums, best.ticks, pairs);
	longest = stretch_above(100000000 - best.ticks, best.ticks);
	assert_in_range(pairs[n - 1][0], longest - longest / 8, longest);
	assert_int_equal(pairs[n - 1][1], 5);
}

TEST_F(start, NULL, test_pairs)
{
	uint64_t pairs[STRETCH_PAIRS][2], sum = 0;
	size_t n;

	add((struct work_quantum){ .ticks = 1000000 }, 7);
	add((struct work_quantum){ .ticks = 1000009 }, 3);
	add((struct work_quantum){ .ticks = 1500000 }, 2);
	n = stretch_pairs(&sums, best.ticks, pairs);
	assert_int_equal(n, 3);
	assert_int_equal(pairs[0][0], 0);
	assert_int_equal(pairs[0][1], 7);
	assert_int_equal(pairs[1][0], 9);
	assert_int_equal(pairs[1][1], 3);
	assert_in_range(pairs[2][0], 440000, 500000);
	assert_int_equal(pairs[2][1], 2);
	/* Even at the largest width, no quantum is lost. */
	for (uint64_t t = 1000000; t < UINT64_C(1) << 50; t += t / 50 + 1)
		add((struct work_quantum){ .ticks = t }, 1);
	n = stretch_pairs(&sums, best.ticks, pairs);
	assert_true(n <= STRETCH_PAIRS);
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || pairs[i][0] > pairs[i - 1][0]);
		sum += pairs[i][1];
	}
	assert_int_equal(sum, sums.quanta);
}

TEST_F(start, NULL, test_above)
{
	assert_int_equal(stretch_above(0, 7), 0);
	assert_int_equal(stretch_above(1, 3000000), 1);
	assert_int_equal(stretch_above(5, 0), 0);
	assert_int_equal(stretch_mean(&sums, 0), 0);
}
