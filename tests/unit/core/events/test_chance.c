/* SPDX-License-Identifier: BSD-2-Clause */
/* Fixed-point logarithms and the binomial tail, against the exact values. */
#include "core/events/chance.h"

#include <math.h>
#include <stdbool.h>

#include "tests/unit/common/test.h"

static bool close_to(int64_t thousandths, double exact, double error)
{
	double off = (double)thousandths / 1000 - exact;

	return off < error && off > -error;
}

TEST(test_log10)
{
	assert_int_equal(chance_log10(0), 0);
	assert_int_equal(chance_log10(1), 0);
	assert_true(close_to(chance_log10(2), 0.30103, 0.0011));
	assert_true(close_to(chance_log10(1000000), 6, 0.0011));
	assert_true(close_to(chance_log10(UINT64_MAX), 19.26592, 0.0011));
	for (uint64_t x = 1; x < UINT64_C(1) << 60; x += x / 3 + 1)
		assert_true(close_to(chance_log10(x), log10((double)x), 0.0011));
}

TEST(test_root)
{
	static const uint64_t roots[] = {
		0, 1, 2, 3, 4, 1000, 65535, 65536, 4294967294, 4294967295
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		assert_int_equal(chance_root(roots[i] * roots[i]), roots[i]);
		if (roots[i])
			assert_int_equal(chance_root(roots[i] * roots[i] - 1), roots[i] - 1);
	}
	assert_int_equal(chance_root(UINT64_MAX), 4294967295);
}

TEST(test_share)
{
	assert_int_equal(chance_share(0, 0), CHANCE_ONE);
	assert_int_equal(chance_share(5, 5), CHANCE_ONE);
	assert_int_equal(chance_share(6, 5), CHANCE_ONE);
	assert_int_equal(chance_share(1, 2), CHANCE_ONE / 2 + 1);
	assert_int_equal(chance_share(0, 100), 1);
	assert_int_equal(chance_share(UINT64_MAX, UINT64_MAX - 1), CHANCE_ONE);
	assert_int_equal(chance_share(UINT64_MAX - 1, UINT64_MAX), CHANCE_ONE);
	/* For numbers of any size: never less than the exact value, and little more. */
	for (uint64_t part = 1; part < UINT64_MAX / 8; part += part / 2 + 1)
		assert_in_range(chance_share(part, 8 * part), CHANCE_ONE / 8, CHANCE_ONE / 8 + 3);
}

/* P(hits or more of slots), summed term by term. */
static double exact_tail(unsigned hits, unsigned slots, double p)
{
	double tail = 0;

	for (unsigned k = hits; k <= slots; k++) {
		double term = 1;

		for (unsigned i = 0; i < slots; i++) {
			if (i < k)
				term *= p * (slots - i) / (k - i);
			else
				term *= 1 - p;
		}
		tail += term;
	}
	return tail;
}

/*
 * The computed chance is never below the true one, and not far above: Chernoff's bound is within a
 * factor of `slots`.
 */
TEST(test_tail_is_a_bound)
{
	static const double shares[] = { 0.001, 0.03, 0.2, 0.5, 0.9 };

	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		uint64_t share = (uint64_t)(shares[s] * (double)CHANCE_ONE);

		for (unsigned slots = 1; slots <= 40; slots += 3) {
			for (unsigned hits = 1; hits <= slots; hits++) {
				double exact = log10(exact_tail(hits, slots, shares[s]));
				int64_t bound = chance_of_hits(hits, slots, share);

				assert_true(bound <= 0);
				assert_true((double)bound / 1000 > exact - 0.01);
				assert_true((double)bound / 1000 < exact + log10(slots + 1) + 0.5);
			}
		}
	}
}

TEST(test_tail_edges)
{
	assert_int_equal(chance_of_hits(0, 0, 1), 0);
	assert_int_equal(chance_of_hits(0, 10, CHANCE_ONE / 2), 0);
	assert_int_equal(chance_of_hits(5, 10, CHANCE_ONE / 2), 0);
	assert_int_equal(chance_of_hits(10, 10, CHANCE_ONE), 0);
	/* Ten hits of ten, each with probability 1/2. */
	assert_true(close_to(chance_of_hits(10, 10, CHANCE_ONE / 2), -3.0103, 0.002));
	/* The largest values: 2^24 slots at 2^-30. */
	assert_true(close_to(chance_of_hits((1 << 24) - 1, (1 << 24) - 1, 1) / 1000,
			     -((1 << 24) - 1) * 9.0309 / 1000, 1));
}
