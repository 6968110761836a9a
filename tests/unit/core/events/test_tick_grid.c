/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel's ticks under events, and none under others. */
#include "core/events/period.h"

#include "tests/unit/common/test.h"
#include "tests/unit/trace.h"

static struct trace tr;

static uint64_t grid(uint64_t *t, size_t count)
{
	static const struct period_context host = { .cause = CAUSE_UNKNOWN, .guest = true };

	return period_grid(&(struct event_series){ t, count, NULL }, &host).period;
}

static uint64_t found(void)
{
	return grid(tr.t, tr.count);
}

/* The host's clock is 100 ppm off ours: only neighbours are compared. */
TEST(test_found)
{
	static const struct {
		double tick;
		uint64_t period_ns;
	} rows[] = {
		{ 0.001, 1000000 }, { 1 / 300.0, 3333333 }, { 0.004, 4000000 }, { 0.01, 10000000 }
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		trace_schedule(&tr, i, rows[i].tick * 1.0001, 60);
		assert_int_equal(found(), rows[i].period_ns);
		trace_schedule(&tr, i, rows[i].tick, 100 * rows[i].tick);
		assert_int_equal(found(), rows[i].period_ns);
	}
}

TEST(test_silent)
{
	static const double periods[] = { 0.008, 0.064, 0.1, 1 };

	tr.count = 0;
	assert_int_equal(found(), 0);
	for (unsigned seed = 0; seed < 200; seed++) {
		trace_begin(&tr, seed);
		trace_add_poisson(&tr, 1 << seed % 8, 20);
		assert_int_equal(found(), 0);
	}
	/* A train, which is searched for as one. */
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct trace_train train = { .period = periods[i], .missing = 0.03 };

		trace_begin(&tr, i);
		trace_add_train(&tr, &train, 60);
		assert_int_equal(found(), 0);
	}
}

/*
 * If six of eleven distances are whole ticks of 10 ms, there is no grid: it takes nine of twelve.
 */
TEST(test_share)
{
	static const uint64_t ms[] = { 10, 20, 30, 40, 50, 60 };
	uint64_t t[13] = { 0 };
	size_t n = 1;

	for (unsigned i = 0; i < 6; i++, n++)
		t[n] = t[n - 1] + ms[i] * 1000000;
	for (unsigned i = 0; i < 5; i++, n++)
		t[n] = t[n - 1] + ms[i] * 1000000 + 5500000;
	assert_int_equal(grid(t, n), 0);
	for (unsigned i = 7; i < 10; i++)
		t[i] = t[i - 1] + ms[i - 7] * 1000000;
	for (unsigned i = 10; i < 13; i++)
		t[i] = t[i - 1] + 15500000;
	assert_int_equal(grid(t, 13), 10000000);
}
