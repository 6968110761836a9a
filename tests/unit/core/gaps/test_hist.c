/* SPDX-License-Identifier: BSD-2-Clause */
/* The histogram's buckets: without holes, narrow as promised, quantiles as by sorting. */
#include "core/gaps/hist.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define LAST_LENGTH ((UINT64_C(1) << HIST_MAX_BITS) - 1)

TEST(test_buckets_follow_each_other)
{
	assert_int_equal(hist_low(0), 0);
	for (size_t b = 1; b < HIST_BUCKETS; b++) {
		assert_true(hist_low(b) > hist_low(b - 1));
		assert_int_equal(hist_bucket(hist_low(b)), b);
		assert_int_equal(hist_bucket(hist_low(b) - 1), b - 1);
	}
	assert_int_equal(hist_bucket(LAST_LENGTH), HIST_BUCKETS - 1);
	assert_int_equal(hist_bucket(LAST_LENGTH + 1), HIST_BUCKETS - 1);
	assert_int_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

TEST(test_width)
{
	for (size_t b = HIST_SUB; b + 1 < HIST_BUCKETS; b++)
		assert_true((hist_low(b + 1) - hist_low(b)) * HIST_SUB <= hist_low(b));
	for (uint64_t ticks = 0; ticks < HIST_SUB; ticks++)
		assert_int_equal(hist_low(hist_bucket(ticks)), ticks);
}

static struct hist hist;

static void count(uint64_t ticks, uint64_t times)
{
	hist.count[hist_bucket(ticks)] += times;
}

TEST(test_empty)
{
	memset(&hist, 0, sizeof(hist));
	assert_int_equal(hist_total(&hist), 0);
	assert_int_equal(hist_quantile(&hist, 5000), 0);
	assert_int_equal(hist_quantile(&hist, 10000), 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

TEST(test_quantiles_against_sorting)
{
	enum { COUNT = 3000 };
	static uint64_t lengths[COUNT];
	uint64_t seed = 1;

	memset(&hist, 0, sizeof(hist));
	for (size_t i = 0; i < COUNT; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		lengths[i] = seed >> (16 + seed % 40);
		count(lengths[i], 1);
	}
	qsort(lengths, COUNT, sizeof(lengths[0]), compare);
	for (unsigned q = 1; q <= 10000; q++) {
		size_t rank = ((uint64_t)COUNT * q + 9999) / 10000;
		size_t bucket = hist_bucket(lengths[rank - 1]);

		assert_int_equal(hist_quantile(&hist, q), hist_low(bucket));
	}
	assert_int_equal(hist_quantile(&hist, 0), hist_low(hist_bucket(lengths[0])));
	assert_int_equal(hist_quantile(&hist, 20000), hist_quantile(&hist, 10000));
	assert_int_equal(hist_total(&hist), COUNT);
}

TEST(test_huge_counts)
{
	memset(&hist, 0, sizeof(hist));
	count(10, UINT64_C(1) << 62);
	count(20, UINT64_C(1) << 62);
	count(30, 1);
	assert_int_equal(hist_quantile(&hist, 4999), 10);
	assert_int_equal(hist_quantile(&hist, 5001), 20);
	assert_int_equal(hist_quantile(&hist, 10000), 30);
}
