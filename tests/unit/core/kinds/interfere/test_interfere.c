/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggressors that do something, and many that do nothing. */
#include "core/kinds/interfere/interfere.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <string.h>

/* Turns that take `base`, and now and then much more. */
static struct interfere_turns turns(uint64_t base)
{
	struct interfere_turns t;

	for (unsigned i = 0; i < INTERFERE_TURNS; i++)
		t.median[i] = base + draw(base / 50) + (draw(10) ? 0 : draw(base * 3));
	return t;
}

static bool is_more(uint64_t alone, uint64_t with, uint32_t pairs)
{
	struct interfere_turns a = turns(alone), w = turns(with);
	struct record_interfere found;

	assert_true(interfere_judge(&a, &w, pairs, &found));
	return found.ratio > found.bound;
}

TEST(test_chance)
{
	unsigned more = 0;

	draw_seed = 1;
	for (unsigned i = 0; i < 10000; i++)
		more += is_more(100000, 100000, 2);
	/* 0.2 % are expected: 20, with a deviation of 4.5. */
	assert_in_range(more, 1, 100);
}

/* In 99 of 100 matrices none of 240 equal pairs is significant; a real effect is found. */
TEST(test_many_pairs)
{
	unsigned matrices = 0, more = 0;

	draw_seed = 3;
	for (unsigned i = 0; i < 400; i++) {
		unsigned any = 0;

		for (unsigned pair = 0; pair < 240; pair++)
			any += is_more(100000, 100000, 240);
		matrices += any > 0;
	}
	assert_in_range(matrices, 0, 10);
	/*
	 * In 13 % of the cases only 4 of the 20 medians are in the slow tenth: then nothing is
	 * found.
	 */
	for (unsigned i = 0; i < 1000; i++)
		more += is_more(100000, 110000, 240);
	assert_in_range(more, 830, 1000);
}

TEST(test_effect)
{
	unsigned more = 0;

	draw_seed = 2;
	for (unsigned i = 0; i < 1000; i++)
		more += is_more(100000, 105000, 2);
	assert_in_range(more, 990, 1000);
	/* A faster victim is no interference. */
	for (unsigned i = 0; i < 1000; i++)
		assert_false(is_more(100000, 95000, 2));
}

TEST(test_equal)
{
	struct interfere_turns a, w;
	struct record_interfere found;

	for (unsigned i = 0; i < INTERFERE_TURNS; i++)
		a.median[i] = w.median[i] = 134000;
	assert_true(interfere_judge(&a, &w, 2, &found));
	assert_int_equal(found.ratio, 1000000);
	assert_int_equal(found.bound, 1000000);
	for (unsigned i = 0; i < INTERFERE_TURNS; i++)
		w.median[i] = 2 * 134000;
	assert_true(interfere_judge(&a, &w, 2, &found));
	assert_int_equal(found.ratio, 2000000);
	assert_int_equal(found.bound, 1000000);
	w.median[7] = 0;
	assert_false(interfere_judge(&a, &w, 2, &found));
	assert_false(interfere_judge(&w, &a, 2, &found));
}

TEST(test_median)
{
	uint64_t odd[] = { 5, 1, 3 }, even[] = { 9, 1, 7, 3 };

	assert_int_equal(interfere_median(odd, 3), 3);
	assert_int_equal(interfere_median(even, 4), 3);
	assert_int_equal(interfere_median(odd, 0), 0);
}
