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

#define DIFF(...) RUN(&diff_subcommand, "diff", __VA_ARGS__)

#define US UINT64_C(1000)

static int diff(const struct record_service *before, const struct record_service *after,
		size_t count)
{
	services_run_write(before, count, 0);
	services_run_write(after, count, 1);
	return DIFF(path[0], path[1]);
}

/* `n` calls: the shortest, the median, the 99th percentile, the longest, us; beside three cores. */
#define LENGTHS(n, least, median, p99, most)                                   \
	.service = "set_variable", .calls = n, .min_ns = { (least)*US, true }, \
	.p50_ns = { (median)*US, true }, .p99_ns = { (p99)*US, true },         \
	.max_ns = { (most)*US, true }
#define CALLS(n, times) LENGTHS(n, 900 * (times), 1000 * (times), 1500 * (times), 1500 * (times))
#define STOPS(n)        .others = 3, .overlaps = n, .stops = true, .stopped = 3
#define FEW             .others = 3, .overlaps = 2

static const struct record_service a_service = { CALLS(100, 1), FEW };

#define NOT_COMPARED "  set_variable        not compared\n"
#define NO_STOPS     "  set_variable stops  not compared\n"

#define PLAIN(...) __VA_ARGS__
#define CASE(before, after, worse, line, back)                       \
	{                                                            \
		{ PLAIN before }, { PLAIN after }, worse, line, back \
	}
#define SAME(before, after, line, back)  CASE(before, after, false, line, back)
#define WORSE(before, after, line, back) CASE(before, after, true, line, back)

/* All calls fail in the same way. */
#define FAILS(times, code) (CALLS(100, times), .failed = 100, .status = { code, true })

static const struct {
	struct record_service before, after;
	bool worse; /* the change is worse, and better the other way round */
	const char *line, *back;
} cases[] = {
	SAME((CALLS(100, 1), FEW), (CALLS(100, 1), FEW),
	     "stage handoff: services\n"
	     "  MEDIAN OF A CALL            BEFORE (MIN-MAX)           AFTER (MIN-MAX)\n"
	     "  set_variable        1.00 ms (900 us-1.50 ms)  1.00 ms (900 us-1.50 ms)\n"
	     "  set_variable stops                         0                         0\n",
	     "  set_variable        +0.0 %: not significant\n"
	     "  set_variable stops  not significant\n"),
	/* Ten writes, each longer than any before: 1 in 184,756. */
	WORSE((CALLS(10, 1)), (CALLS(10, 2)),
	      "  1.00 ms (900 us-1.50 ms)  2.00 ms (1.80 ms-3.00 ms)\n", "-50.0 %: less\n"),
	/* Six of ten are longer than any of the other ten: 210 in 38,760. Eleven of twenty are
	 * evidence. */
	SAME((CALLS(10, 1)), (LENGTHS(10, 950, 2000, 3000, 3000)), "+100.0 %: not significant\n",
	     "-50.0 %: not significant\n"),
	WORSE((CALLS(20, 1)), (LENGTHS(20, 950, 2000, 3000, 3000)), "+100.0 %: more\n",
	      "-50.0 %: less\n"),
	/* One call before is as long as any after. */
	SAME((LENGTHS(20, 900, 1000, 3000, 3000)), (LENGTHS(20, 950, 2000, 3000, 3000)),
	     "+100.0 %: not significant\n", "-50.0 %: not significant\n"),
	/* Twenty that are longer than half of the others: 184,756 in 847,660,528. */
	WORSE((LENGTHS(20, 900, 1000, 3000, 3000)), (LENGTHS(20, 1100, 2000, 3000, 3000)),
	      "+100.0 %: more\n", "-50.0 %: less\n"),
	/* The change is in 1 of 100 calls. */
	WORSE((LENGTHS(100, 900, 1000, 1500, 3000)), (LENGTHS(100, 950, 2000, 3000, 3000)),
	      "+100.0 %: more\n", "-50.0 %: less\n"),
	/* Each call takes so much longer, and all are apart: code may lie elsewhere. */
	SAME((LENGTHS(100, 1000, 1000, 1000, 1000)), (LENGTHS(100, 1090, 1090, 1090, 1090)),
	     "+9.0 %: not significant\n", "-8.3 %: not significant\n"),
	WORSE((LENGTHS(100, 1000, 1000, 1000, 1000)), (LENGTHS(100, 1110, 1110, 1110, 1110)),
	      "+11.0 %: more\n", "-9.9 %: less\n"),
	WORSE((CALLS(100, 1), FEW), (CALLS(100, 1), STOPS(100)),
	      "  set_variable        +0.0 %: not significant\n  set_variable stops  more\n",
	      "  set_variable stops  -100.0 %: less\n"),
	SAME((CALLS(100, 1), STOPS(100)), (CALLS(100, 1), STOPS(100)),
	     "  set_variable stops  +0.0 %: not significant\n", ""),
	/* Stops are significant in one run only, but as frequent in the other. */
	SAME((CALLS(100, 1), FEW), (CALLS(100, 1), STOPS(9)),
	     "  set_variable stops  not significant\n", ""),
	/* The calls were made beside another number of cores. */
	SAME((CALLS(100, 1), FEW),
	     (CALLS(100, 1), .others = 7, .overlaps = 100, .stops = true, .stopped = 3), NO_STOPS,
	     NO_STOPS),
	/*
	 * A call that fails does other work, so only calls that always fail in the same way are
	 * compared.
	 */
	SAME((CALLS(100, 1)), (CALLS(100, 3), .failed = 1), NOT_COMPARED, NOT_COMPARED),
	WORSE(FAILS(1, 3), FAILS(3, 3), ": more\n", ": less\n"),
	SAME(FAILS(1, 3), FAILS(3, 9), NOT_COMPARED, NOT_COMPARED),
	/* Captures may hold anything. */
	SAME((CALLS(UINT64_MAX, 1), .others = 3, .overlaps = UINT64_MAX / 2),
	     (CALLS(UINT64_MAX - 1, 5), STOPS(UINT64_MAX / 2)), NOT_COMPARED, NOT_COMPARED),
	SAME((CALLS(10, 1), .others = 3, .overlaps = UINT64_MAX), (CALLS(10, 1), STOPS(UINT64_MAX)),
	     NO_STOPS, NO_STOPS),
};

TEST_F(start, teardown, test_cases)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("case %zu\n", i);
		assert_int_equal(diff(&cases[i].before, &cases[i].after, 1), cases[i].worse);
		assert_in(out, cases[i].line);
		assert_in(out, cases[i].worse ? "outcome: worse" : "outcome: same");
		assert_int_equal(diff(&cases[i].after, &cases[i].before, 1), 0);
		assert_in(out, cases[i].back);
		assert_in(out, cases[i].worse ? "outcome: better" : "outcome: same");
	}
}

/* A tick of 16 ns; and a difference between equal runs by --spread. */
TEST_F(start, teardown, test_no_change)
{
	static const uint64_t ns[] = { 64, 96, 144 };
	struct record_service r[3];

	for (unsigned i = 0; i < 3; i++) {
		r[i] = a_service;
		r[i].min_ns.value = r[i].p50_ns.value = ns[i];
		r[i].p99_ns.value = r[i].max_ns.value = ns[i];
	}
	services_run_hz = 62500000;
	assert_int_equal(diff(&r[0], &r[1], 1), 0);
	assert_in(out, "+50.0 %: not significant\n");
	assert_int_equal(diff(&r[0], &r[2], 1), 1);
	assert_int_equal(DIFF("--spread", "200", path[0], path[1]), 0);
	services_run_hz = SERVICES_RUN_HZ;
}

TEST_F(start, teardown, test_what_was_not_called)
{
	struct record_service none = { .service = "set_variable", .why = "there is no room" };

	assert_int_equal(diff(&a_service, &none, 1), 0);
	assert_in(
		out,
		"  set_variable        1.00 ms (900 us-1.50 ms)              n/a  not compared\n"
		"  set_variable stops                         0              n/a  not compared\n");
	assert_int_equal(diff(&none, &none, 1), 0);
	assert_not_in(out, "set_variable");
	/* Different services are not compared. */
	none = a_service;
	none.service = "get_time";
	assert_int_equal(diff(&a_service, &none, 1), 0);
	assert_not_in(out, "get_time");
}

TEST_F(start, teardown, test_forms)
{
	const struct record_service after = { CALLS(100, 3), STOPS(100) };

	diff(&a_service, &after, 1);
	assert_int_equal(DIFF("--format", "junit", path[0], path[1]), 1);
	assert_in(out, "<testsuite name=\"noisefloor diff\" tests=\"4\" failures=\"2\"");
	assert_in(out, "name=\"set_variable\" time=\"0.000\">\n      <failure message=\"1.00 ms "
		       "(900 us-1.50 ms) before, 3.00 ms (2.70 ms-4.50 ms) after: +200.0 %: "
		       "more\"/>");
	assert_in(out, "name=\"set_variable stops\" time=\"0.000\">\n      <failure message=\"0 "
		       "before, 3 after, cores: more\"/>");
	assert_int_equal(DIFF("--json", path[0], path[1]), 1);
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
