/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor diff` on runs of mode=services: what makes a call longer, or one that stops others;
 * and what does not.
 */
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/command.h"
#include "tests/unit/draw.h"
#include "tests/unit/rounds.h"
#include "tests/unit/services_run.h"

#include <math.h>

#define US UINT64_C(1000)

static int diff(const struct record_service *before, const struct record_service *after,
		size_t count)
{
	services_run_write(before, count, 0);
	services_run_write(after, count, 1);
	return RUN(&diff_subcommand, "diff", path[0], path[1]);
}

/* A call of 1 ms, from 10 % less to 50 % more. */
static struct record_service a_service(uint64_t calls)
{
	return (struct record_service){
		.service = "set_variable",
		.others = 3,
		.calls = calls,
		.min_ns = { 900 * US, true },
		.p50_ns = { 1000 * US, true },
		.p99_ns = { 1500 * US, true },
		.max_ns = { 1500 * US, true },
	};
}

static void take_times(struct record_service *r, double times)
{
	struct maybe *length[] = { &r->min_ns, &r->p50_ns, &r->p99_ns, &r->max_ns };

	for (unsigned i = 0; i < 4; i++)
		length[i]->value = (uint64_t)((double)length[i]->value * times);
}

TEST_F(start, teardown, test_equal_ones)
{
	const struct record_service r = a_service(100);

	assert_int_equal(diff(&r, &r, 1), 0);
	assert_in(out, "stage handoff: services\n");
	assert_in(out,
		  "  MEDIAN OF A CALL            BEFORE (MIN-MAX)           AFTER (MIN-MAX)\n"
		  "  set_variable        1.00 ms (900 us-1.50 ms)  1.00 ms (900 us-1.50 ms)\n"
		  "  set_variable stops                         0                         0\n");
	assert_in(out, "  set_variable        +0.0 %: not significant\n"
		       "  set_variable stops  not significant\n");
	assert_in(out, "outcome: same");
}

/* Ten writes, each longer than any before: 1 in 184,756. */
TEST_F(start, teardown, test_all_are_longer)
{
	const struct record_service before = a_service(10);
	struct record_service after = before;

	take_times(&after, 2);
	assert_int_equal(diff(&before, &after, 1), 1);
	assert_in(out, "  1.00 ms (900 us-1.50 ms)  2.00 ms (1.80 ms-3.00 ms)\n");
	assert_in(out, "  set_variable        +100.0 %: more\n");
	assert_in(out, "outcome: worse");
	assert_int_equal(diff(&after, &before, 1), 0);
	assert_in(out, "-50.0 %: less\n");
	assert_in(out, "outcome: better");
}

/* Six of ten are longer than any of the other ten: 210 in 38,760. Eleven of twenty are evidence. */
TEST_F(start, teardown, test_half_are_longer)
{
	struct record_service before = a_service(10), after = a_service(10);

	take_times(&after, 2);
	after.min_ns.value = 950 * US;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "+100.0 %: not significant\n");
	before.calls = after.calls = 20;
	assert_int_equal(diff(&before, &after, 1), 1);
	assert_in(out, "+100.0 %: more\n");
	/* One that is as long as any after. */
	before.max_ns.value = before.p99_ns.value = 3000 * US;
	assert_int_equal(diff(&before, &after, 1), 0);
	/* Twenty that are longer than half of the others: 184,756 in 847,660,528. */
	after.min_ns.value = 1100 * US;
	assert_int_equal(diff(&before, &after, 1), 1);
	after.min_ns.value = 950 * US;
	/* That one is 1 of 100. */
	before.calls = after.calls = 100;
	before.p99_ns.value = 1500 * US;
	assert_int_equal(diff(&before, &after, 1), 1);
}

/* Each call takes so much longer, and all are apart: code may lie elsewhere. */
TEST_F(start, teardown, test_a_tenth_is_no_change)
{
	struct record_service before = a_service(100), after;

	before.max_ns.value = before.p99_ns.value = before.min_ns.value = before.p50_ns.value;
	after = before;
	take_times(&after, 1.09);
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "+9.0 %: not significant\n");
	after = before;
	take_times(&after, 1.11);
	assert_int_equal(diff(&before, &after, 1), 1);
	assert_int_equal(RUN(&diff_subcommand, "diff", "--spread", "20", path[0], path[1]), 0);
	assert_in(out, "+11.0 %: not significant\n");
}

/* A tick of 16 ns. */
TEST_F(start, teardown, test_a_tick_is_no_change)
{
	struct record_service before = a_service(100), after;

	services_run_hz = 62500000;
	before.min_ns.value = before.p50_ns.value = before.p99_ns.value = before.max_ns.value = 64;
	after = before;
	take_times(&after, 1.5);
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "+50.0 %: not significant\n");
	take_times(&after, 1.5);
	assert_int_equal(diff(&before, &after, 1), 1);
	services_run_hz = SERVICES_RUN_HZ;
}

static struct record_service stopping(uint64_t overlaps, bool stops)
{
	struct record_service r = a_service(100);

	r.overlaps = overlaps;
	r.stops = stops;
	r.stopped = stops ? 3 : 0;
	return r;
}

TEST_F(start, teardown, test_stops_others)
{
	struct record_service before = stopping(2, false), after = stopping(100, true);

	assert_int_equal(diff(&before, &after, 1), 1);
	assert_in(out, "  set_variable        +0.0 %: not significant\n"
		       "  set_variable stops  more\n");
	assert_int_equal(diff(&after, &before, 1), 0);
	assert_in(out, "  set_variable stops  -100.0 %: less\n");
	assert_in(out, "outcome: better");
	assert_int_equal(diff(&after, &after, 1), 0);
	assert_in(out, "  set_variable stops  +0.0 %: not significant\n");
	/* Significant in one run only, and yet as often. */
	after = stopping(9, true);
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  set_variable stops  not significant\n");
	/* Beside another number of cores. */
	after = stopping(100, true);
	after.others = 7;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  set_variable stops  not compared\n");
}

/* A call that fails does something else; one that always fails in the same way is as good as any.
 */
TEST_F(start, teardown, test_calls_that_fail)
{
	struct record_service before = a_service(100), after = before;

	take_times(&after, 3);
	after.failed = 1;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  not compared\n");
	before.failed = after.failed = 100;
	before.status = after.status = (struct maybe){ 3, true };
	assert_int_equal(diff(&before, &after, 1), 1);
	after.status.value = 9;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  not compared\n");
}

TEST_F(start, teardown, test_what_was_not_called)
{
	struct record_service before = a_service(100);
	struct record_service none = { .service = "set_variable", .why = "there is no room" };

	assert_int_equal(diff(&before, &none, 1), 0);
	assert_in(
		out,
		"  set_variable        1.00 ms (900 us-1.50 ms)              n/a  not compared\n"
		"  set_variable stops                         0              n/a  not compared\n");
	assert_int_equal(diff(&none, &none, 1), 0);
	assert_not_in(out, "set_variable");
	/* Of another service there is nothing to compare. */
	none = a_service(100);
	none.service = "get_time";
	assert_int_equal(diff(&before, &none, 1), 0);
	assert_not_in(out, "get_time");
}

/* Captures may hold anything. */
TEST_F(start, teardown, test_more_calls_than_there_can_be)
{
	struct record_service before = a_service(UINT64_MAX), after = a_service(UINT64_MAX - 1);

	take_times(&after, 5);
	after.overlaps = before.overlaps = UINT64_MAX / 2;
	after.stops = true;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  not compared\n");
	before = after = a_service(10);
	before.overlaps = after.overlaps = UINT64_MAX;
	after.stops = true;
	assert_int_equal(diff(&before, &after, 1), 0);
	assert_in(out, "  set_variable stops  not compared\n");
}

TEST_F(start, teardown, test_forms)
{
	struct record_service before = stopping(2, false), after = stopping(100, true);

	take_times(&after, 3);
	diff(&before, &after, 1);
	assert_int_equal(RUN(&diff_subcommand, "diff", "--format", "junit", path[0], path[1]), 1);
	assert_in(out, "<testsuite name=\"noisefloor diff\" tests=\"4\" failures=\"2\"");
	assert_in(out, "name=\"set_variable\" time=\"0.000\">\n      <failure message=\"1.00 ms "
		       "(900 us-1.50 ms) before, 3.00 ms (2.70 ms-4.50 ms) after: +200.0 %: "
		       "more\"/>");
	assert_in(out, "name=\"set_variable stops\" time=\"0.000\">\n      <failure message=\"0 "
		       "before, 3 after, cores: more\"/>");
	assert_int_equal(RUN(&diff_subcommand, "diff", "--json", path[0], path[1]), 1);
	assert_in(out, "\"what\":\"set_variable\",\"unit\":\"ns\",\"before\":{\"value\":1000000.0,"
		       "\"low\":900000.0,\"high\":1500000.0},");
	assert_in(out,
		  "\"what\":\"set_variable stops\",\"unit\":\"cores\",\"before\":{\"value\":0.0,"
		  "\"low\":null,\"high\":null},\"after\":{\"value\":3.0,\"low\":null,"
		  "\"high\":null},\"change\":\"more\",");
}

/* ---- Chance ---- */

#define SERVICES_DRAWN 10
#define CALLS_DRAWN    100

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Calls of 10 us to 1 ms, any order of magnitude as likely as another. */
static struct record_service drawn(unsigned n, double times)
{
	static const char *const names[SERVICES_DRAWN] = { "a", "b", "c", "d", "e",
							   "f", "g", "h", "i", "j" };
	struct record_service r = { .service = names[n], .calls = n ? CALLS_DRAWN : 10 };
	uint64_t length[CALLS_DRAWN];

	for (uint64_t i = 0; i < r.calls; i++)
		length[i] = (uint64_t)(times * 1e4 * pow(100, (double)draw(1000000) / 1e6));
	qsort(length, (size_t)r.calls, sizeof(*length), compare);
	r.min_ns = (struct maybe){ length[0], true };
	r.p50_ns = (struct maybe){ length[(r.calls * 50 + 99) / 100 - 1], true };
	r.p99_ns = (struct maybe){ length[(r.calls * 99 + 99) / 100 - 1], true };
	r.max_ns = (struct maybe){ length[r.calls - 1], true };
	return r;
}

static int diff_drawn(double times)
{
	struct record_service before[SERVICES_DRAWN], after[SERVICES_DRAWN];

	for (unsigned n = 0; n < SERVICES_DRAWN; n++) {
		before[n] = drawn(n, 1);
		after[n] = drawn(n, times);
	}
	return diff(before, after, SERVICES_DRAWN);
}

/* Equal firmware is worse or better 1 time in 100 at most; what takes 200 times as long is found.
 */
TEST_F(start, teardown, test_chance)
{
	unsigned pairs = rounds(25, 1000), found = 0;

	draw_seed = 1;
	for (unsigned i = 0; i < pairs; i++) {
		assert_int_equal(diff_drawn(1), 0);
		found += !strstr(out, "outcome: same");
	}
	assert_in_range(found, 0, pairs / 100 + 1);
	assert_int_equal(diff_drawn(200), 1);
	assert_in(out, "outcome: worse");
	assert_not_in(out, "not significant\n");
}

TEST_GROUP(make_folder, remove_folder);
