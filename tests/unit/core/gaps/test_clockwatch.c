/* SPDX-License-Identifier: BSD-2-Clause */
/* Hidden pauses: seen by the clock that can, with bounds that hold, and not seen where there are
 * none. */
#include "core/gaps/clockwatch.h"

#include "tests/unit/common/test.h"

#define HZ UINT64_C(2000000000)
#define S  UINT64_C(1000000000) /* ns */
#define MS UINT64_C(1000000)

static const struct clockwatch_clock hpet = { "hpet", 100000000, 32 };
static const struct clockwatch_clock pm = { "pmtimer", 3579545, 24 };
static const struct clockwatch_clock rtc = { "rtc", 1, 64 };

/* A machine: true time in ns, and what the TSC lacks of it. */
static uint64_t now;
static int64_t tsc_lacks;
static struct clockwatch watch;
static struct clockwatch_pause pause;

/* a * b / c, for b below 2^34. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c)
{
	return a / c * b + a % c * b / c;
}

static uint64_t tsc_at(uint64_t ns)
{
	return scaled(ns - (uint64_t)tsc_lacks, HZ, S);
}

/* Read the clock in a bracket of 1 us; it runs `ppm` too fast. */
static bool read_clock(int ppm)
{
	const struct clockwatch_clock *c = &watch.clock;
	uint64_t shown = now + (uint64_t)((int64_t)(now / 1000000) * ppm);
	uint64_t value = scaled(shown, c->hz, S);
	struct clockwatch_reading r = { .before = tsc_at(now), .after = tsc_at(now + 1000) };

	r.value = c->bits < 64 ? value & ((UINT64_C(1) << c->bits) - 1) : value;
	return clockwatch_read(&watch, &r, &pause);
}

static void begin(const struct clockwatch_clock *clock, uint64_t at, int ppm)
{
	now = at;
	tsc_lacks = 0;
	clockwatch_begin(&watch, clock, HZ);
	assert_false(read_clock(ppm));
}

/* A day of windows of any length: no clock sees a pause that was not there. */
TEST(test_silent)
{
	static const struct clockwatch_clock *const clocks[] = { &hpet, &pm, &rtc };
	static const int drifts[] = { 0, 100, -100 };
	static const uint64_t steps[] = { 1010 * MS, 7 * MS, 61 * S + 123456789 };

	for (unsigned c = 0; c < 3; c++) {
		for (unsigned d = 0; d < 3; d++) {
			for (unsigned i = 0; i < 3; i++) {
				begin(clocks[c], 12345 * S + 987654321, drifts[d]);
				for (unsigned n = 0; n < 20000; n++) {
					now += steps[i];
					assert_false(read_clock(drifts[d]));
				}
			}
		}
	}
}

/* The TSC stood still for `size`: what is reported encloses that. */
static void assert_seen(const struct clockwatch_clock *clock, uint64_t size, uint64_t slack)
{
	begin(clock, 5000 * S, 50);
	for (unsigned n = 0; n < 100; n++) {
		now += 1010 * MS;
		assert_false(read_clock(50));
	}
	now += 500 * MS + size;
	tsc_lacks += (int64_t)size;
	now += 510 * MS;
	assert_true(read_clock(50));
	assert_string_equal(pause.clock, clock->name);
	assert_false(pause.forward);
	assert_true(pause.least > 0);
	assert_true(pause.least <= size);
	assert_true(pause.most >= size);
	assert_true(pause.most - pause.least <= slack);
	/* Reported once. */
	for (unsigned n = 0; n < 200; n++) {
		now += 1010 * MS;
		assert_false(read_clock(50));
	}
}

TEST(test_seen_by_a_fine_clock)
{
	assert_seen(&hpet, 1 * MS, 1 * MS);
	assert_seen(&hpet, 3 * S, 1 * MS);
	assert_seen(&pm, 1 * MS, 1 * MS);
	/* The PM timer wraps after 4.69 s: of 2 s it still knows. */
	assert_seen(&pm, 2 * S, 1 * MS);
}

/* All clocks but the RTC stood still. Readings every 1.01 s narrow down its second. */
TEST(test_seen_by_the_rtc)
{
	assert_seen(&rtc, 3 * S, S + 200 * MS);
	assert_seen(&rtc, 1300 * MS, S + 200 * MS);
	assert_seen(&rtc, 3600 * S, S + 200 * MS);
}

static void assert_unseen(const struct clockwatch_clock *clock, uint64_t size)
{
	begin(clock, 5000 * S, 0);
	now += 1010 * MS;
	assert_false(read_clock(0));
	now += 1010 * MS + size;
	tsc_lacks += (int64_t)size;
	assert_false(read_clock(0));
}

/* A pause that is shorter than a clock can resolve is not reported. */
TEST(test_too_short)
{
	assert_unseen(&hpet, 100000);
	assert_unseen(&rtc, 900 * MS);
}

/* The TSC was set forward. */
TEST(test_forward)
{
	begin(&hpet, 5000 * S, 0);
	now += 1010 * MS;
	tsc_lacks -= 20 * MS;
	assert_true(read_clock(0));
	assert_true(pause.forward);
	assert_in_range(pause.least, 19 * MS, 20 * MS);
	assert_in_range(pause.most, 20 * MS, 21 * MS);
	begin(&rtc, 5000 * S, 0);
	for (unsigned n = 0; n < 100; n++) {
		now += 1010 * MS;
		assert_false(read_clock(0));
	}
	tsc_lacks -= 5 * (int64_t)S;
	now += 1010 * MS;
	assert_true(read_clock(0));
	assert_true(pause.forward);
	assert_in_range(pause.least, 3 * S, 5 * S);
	assert_in_range(pause.most, 5 * S, 7 * S);
}

/* A pause lies between the readings around it. */
TEST(test_where)
{
	uint64_t last;

	begin(&hpet, 5000 * S, 0);
	now += 1010 * MS;
	assert_false(read_clock(0));
	last = tsc_at(now + 1000);
	now += 1000 * MS + 10 * MS;
	tsc_lacks += 10 * MS;
	assert_true(read_clock(0));
	assert_int_equal(pause.from, last);
	assert_int_equal(pause.until, tsc_at(now));
}

/* A delayed reading is no pause, wherever in it the clock's value was taken. */
TEST(test_held_up)
{
	static const struct clockwatch_clock *const clocks[] = { &hpet, &pm, &rtc };

	for (unsigned c = 0; c < 3; c++) {
		for (unsigned part = 0; part <= 10; part++) {
			begin(clocks[c], 5000 * S, 0);
			for (unsigned n = 0; n < 400; n++) {
				uint64_t held = n % 7 ? 1000 : 700 * MS;
				struct clockwatch_reading r;

				now += 313 * MS;
				r.before = tsc_at(now);
				r.after = tsc_at(now + held);
				r.value = scaled(now + held / 10 * part, clocks[c]->hz, S) &
					  (clocks[c]->bits < 64
						   ? (UINT64_C(1) << clocks[c]->bits) - 1
						   : UINT64_MAX);
				now += held;
				assert_false(clockwatch_read(&watch, &r, &pause));
			}
		}
	}
}

/* After another clock showed it, the same pause is not reported again. */
TEST(test_reported)
{
	static const struct clockwatch_clock *const clocks[] = { &pm, &rtc };
	struct clockwatch_pause other = { .least = 8900 * MS, .most = 9100 * MS };

	for (unsigned c = 0; c < 2; c++) {
		for (unsigned forward = 0; forward < 2; forward++) {
			begin(clocks[c], 5000 * S, 0);
			for (unsigned n = 0; n < 10; n++) {
				now += 1010 * MS;
				assert_false(read_clock(0));
			}
			now += 10 * S;
			tsc_lacks += forward ? -9 * (int64_t)S : 9 * (int64_t)S;
			other.forward = forward;
			clockwatch_reported(&watch, &other);
			for (unsigned n = 0; n < 200; n++) {
				assert_false(read_clock(0));
				now += 1010 * MS;
			}
		}
	}
}

/* The PM timer shows a TSC that creeps ahead, window for window. Then both stand still. */
TEST(test_reported_all_the_time)
{
	struct clockwatch_pause other = { .forward = true, .least = 3800000, .most = 4200000 };
	uint64_t size;

	for (size = 1500 * MS; size < 10 * S; size += 1700 * MS) {
		begin(&rtc, 5000 * S, 0);
		for (unsigned n = 0; n < 1000; n++) {
			now += 1010 * MS;
			tsc_lacks -= 4 * (int64_t)MS;
			clockwatch_reported(&watch, &other);
			assert_false(read_clock(0));
		}
		now += 1010 * MS + size;
		tsc_lacks += (int64_t)size - 4 * (int64_t)MS;
		clockwatch_reported(&watch, &other);
		assert_true(read_clock(0));
		assert_false(pause.forward);
		assert_in_range(pause.least, size - 1200 * MS, size);
		assert_in_range(pause.most, size, size + 1200 * MS);
	}
}
