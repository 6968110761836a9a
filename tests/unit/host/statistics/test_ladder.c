/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder from cpu records: sums, order, what is compared and how it reads. */
#include "host/statistics/ladder.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S UINT64_C(1000000000)

static struct ladder ladder;
static char text[4096];

static int setup(void **state)
{
	(void)state;
	memset(&ladder, 0, sizeof(ladder));
	text[0] = '\0';
	return 0;
}

static size_t longest; /* line */

/* A sentence on several lines is kept as one. */
static void keep(void *ctx, const char *line, size_t bytes)
{
	bool continued = strncmp(line, "    ", 4) == 0;

	(void)ctx;
	longest = bytes > longest ? bytes : longest;
	assert_true(strlen(text) + bytes + 2 < sizeof(text));
	if (continued)
		text[strlen(text) - 1] = ' ';
	strncat(text, line + (continued ? 4 : 0), bytes);
	strcat(text, "\n");
}

static const char *printed(void)
{
	text[0] = '\0';
	longest = 0;
	ladder_print(&ladder, keep, NULL);
	return text;
}

static void add(const char *stage, uint64_t exposure, uint64_t gaps, uint64_t noise, uint64_t max,
		struct maybe smi)
{
	const struct record_cpu cpu = { .stage = stage,
					.exposure_ns = exposure,
					.gaps = gaps,
					.noise_ns = noise,
					.max_ns = max,
					.smi = smi };

	ladder_add(&ladder, &cpu);
}

static struct maybe known(uint64_t value)
{
	return (struct maybe){ value, true };
}

static const struct maybe unknown = { 0, false };

TEST_F(setup, NULL, test_one_stage_is_no_ladder)
{
	assert_string_equal(printed(), "");
	add("handoff", S, 1, 2, 3, unknown);
	add("handoff", S, 1, 2, 3, unknown);
	assert_int_equal(ladder.count, 1);
	assert_string_equal(printed(), "");
}

/* Of a core that is not the boot core. */
static void add_other(const char *stage, uint64_t gaps, struct maybe smi)
{
	const struct record_cpu cpu = {
		.stage = stage, .cpu = 3, .exposure_ns = S, .gaps = gaps, .smi = smi
	};

	ladder_add(&ladder, &cpu);
}

/*
 * MP Services may give no core but the boot core. It alone has the firmware's timer, or a device's
 * SMIs: set against all cores, it would seem as if ExitBootServices had removed them.
 */
TEST_F(setup, NULL, test_cores_that_one_stage_lacks)
{
	struct ladder_step step;

	add("firmware", S, 1000, 0, 0, known(100));
	add("bare", S, 1000, 0, 0, known(100));
	for (unsigned n = 0; n < 7; n++)
		add_other("bare", 0, known(0));
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_SAME);
	assert_int_equal(step.smi.change, RATE_SAME);
	assert_non_null(
		strstr(printed(), "firmware to bare, core 0 alone: gaps 1000.00 to 1000.00"));
	/* All cores are compared where both have them. */
	for (unsigned n = 0; n < 7; n++)
		add_other("firmware", 500, known(50));
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_LESS);
	assert_non_null(strstr(printed(), "firmware to bare: gaps"));
	/* And nothing where they have none in common. */
	memset(&ladder, 0, sizeof(ladder));
	add_other("firmware", 500, known(50));
	add("bare", S, 1000, 0, 0, known(100));
	add_other("bare", 0, known(0));
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_NOT_COMPARED);
}

/* In the order in which the stages follow, whatever the order of the records. */
TEST_F(setup, NULL, test_order_and_sums)
{
	static const char *const order[] = { "firmware", "bare", "acpi", "handoff", "other" };

	add("other", S, 1, 0, 0, unknown);
	add("handoff", S, 1, 0, 0, unknown);
	add("bare", S, 10, 100, 7, known(3));
	add("firmware", S, 1, 0, 0, unknown);
	add("bare", 2 * S, 30, 300, 5, known(4));
	add("acpi", S, 1, 0, 0, unknown);
	assert_int_equal(ladder.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(ladder.rung[i].stage, order[i]);
	assert_int_equal(ladder.rung[1].cores, 2);
	assert_int_equal(ladder.rung[1].exposure_ns, 3 * S);
	assert_int_equal(ladder.rung[1].gaps, 40);
	assert_int_equal(ladder.rung[1].noise_ns, 400);
	assert_int_equal(ladder.rung[1].max_ns, 7);
	assert_true(ladder.rung[1].smi.known && ladder.rung[1].smi.value == 7);
	assert_false(ladder.rung[0].smi.known);
}

/* What one core does not know the rung does not know. */
TEST_F(setup, NULL, test_smi_of_some_cores_only)
{
	add("bare", S, 1, 0, 0, known(5));
	add("bare", S, 1, 0, 0, unknown);
	assert_false(ladder.rung[0].smi.known);
}

/* The same SMI on all cores is one event: 16 cores make it no more certain than one does. */
TEST_F(setup, NULL, test_cores_do_not_multiply_evidence)
{
	struct ladder_step one, many;

	setup(state);
	add("bare", 10 * S, 9, 0, 0, known(9));
	add("handoff", 10 * S, 2, 0, 0, known(2));
	ladder_step(&ladder, 1, &one);
	setup(state);
	for (unsigned i = 0; i < 16; i++) {
		add("bare", 10 * S, 9, 0, 0, known(9));
		add("handoff", 10 * S, 2, 0, 0, known(2));
	}
	ladder_step(&ladder, 1, &many);
	assert_int_equal(one.gaps.change, RATE_SAME);
	assert_int_equal(many.gaps.change, RATE_SAME);
	assert_int_equal(one.gaps.chance_milli, many.gaps.chance_milli);
	assert_int_equal(one.smi.chance_milli, many.smi.chance_milli);
}

TEST_F(setup, NULL, test_a_step_that_removes_smis)
{
	struct ladder_step step;

	add("acpi", 60 * S, 90, 900000, 20000, known(40));
	add("handoff", 60 * S, 85, 100000, 3000, known(0));
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_SAME);
	assert_int_equal(step.smi.change, RATE_LESS);
	assert_non_null(strstr(printed(), "\nacpi          1      60.000       1.50      0.66"
					  "        15.0        20.0\n"));
	assert_non_null(strstr(text, "\nhandoff       1      60.000       1.41      0.00"
				     "         1.6         3.0\n"));
	/* 2 * 2^-40 is 1.82e-12. */
	assert_non_null(strstr(text, "\nacpi to handoff: gaps 1.50 to 1.41 /s (-6.0 %, not "
				     "significant, p 0.7"));
	assert_non_null(strstr(text, "; SMIs 0.66 to 0.00 /s (-100.0 %, significant, "
				     "p 1.8e-12)\n"));
	assert_true(longest > 40 && longest <= LINES_COLUMNS);
}

/* What is printed of a probability is it, to half of its last digit. */
TEST_F(setup, NULL, test_a_probability_is_rounded)
{
	for (unsigned gaps = 30; gaps < 100; gaps++) {
		struct ladder_step step;
		double is, digit = 1;
		const char *p;

		setup(state);
		add("acpi", 60 * S, 100, 0, 0, unknown);
		add("handoff", 60 * S, gaps, 0, 0, unknown);
		ladder_step(&ladder, 1, &step);
		p = strstr(printed(), ", p ");
		assert_non_null(p);
		is = pow(10, (double)step.gaps.chance_milli / 1000);
		for (const char *c = strchr(p, '.') + 1; *c >= '0' && *c <= '9'; c++)
			digit /= 10;
		if (strchr(p, 'e'))
			digit *= pow(10, atoi(strchr(p, 'e') + 1));
		if (fabs(strtod(p + 4, NULL) - is) > 0.55 * digit)
			fail_msg("%g is printed as%.10s", is, p + 3);
	}
}

/* `events` on average in a window, each of `burst` gaps on each of `cores`, in `windows` windows.
 */
static void add_bursts(const char *stage, unsigned events, unsigned burst, unsigned cores,
		       unsigned windows)
{
	uint64_t total = 0;

	for (unsigned w = 0; w < windows; w++) {
		struct record_window window = { .stage = stage, .len_ns = S };

		/* As many chances as make it a Poisson count, nearly. */
		for (unsigned i = 0; i < 50 * events; i++)
			window.gaps += draw(50) ? 0 : (uint64_t)burst * cores;
		total += window.gaps;
		ladder_add_window(&ladder, &window);
	}
	for (unsigned c = 0; c < cores; c++)
		add(stage, windows * S, total / cores, 0, 0, unknown);
}

/* How often, of 1000 ladders without a change, one is reported. */
static unsigned alarms(unsigned burst, unsigned cores, unsigned windows)
{
	struct ladder_step step;
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		setup(NULL);
		add_bursts("bare", 5, burst, cores, windows);
		add_bursts("handoff", 5, burst, cores, windows);
		ladder_step(&ladder, 1, &step);
		n += step.gaps.change != RATE_SAME;
	}
	return n;
}

/* 10 of 1000 are what is allowed; bursts would make it hundreds if each gap counted. */
TEST_F(setup, NULL, test_bursts_are_no_evidence)
{
	assert_true(alarms(1, 1, 60) <= 20);
	assert_true(alarms(1, 8, 60) <= 20);
	assert_true(alarms(30, 1, 60) <= 20);
	assert_true(alarms(30, 4, 60) <= 20);
	assert_true(alarms(30, 1, 10) <= 25);
	/* With fewer windows nobody knows of bursts. */
	assert_true(alarms(30, 1, LADDER_WINDOWS_MIN - 1) > 200);
}

TEST_F(setup, NULL, test_bursts_are_reported)
{
	struct ladder_step step;

	add_bursts("bare", 20, 30, 4, 60);
	add_bursts("handoff", 4, 30, 4, 60);
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_LESS);
	/* Within three standard deviations of an index from 60 windows, the larger of two. */
	assert_in_range(step.gaps.burst, 15 * LADDER_BURST_ONE, 55 * LADDER_BURST_ONE);
	assert_non_null(strstr(printed(), ", in bursts of "));
	setup(state);
	add_bursts("bare", 20, 1, 1, 60);
	add_bursts("handoff", 4, 1, 1, 60);
	assert_null(strstr(printed(), "bursts"));
}

/* Windows without a core's record, of no length, and of any size. */
TEST_F(setup, NULL, test_hostile_windows)
{
	struct record_window window = { .stage = "bare", .gaps = UINT64_MAX, .smi = { 7, true } };

	ladder_add_window(&ladder, &window);
	window.len_ns = UINT64_MAX;
	for (unsigned i = 0; i < 9; i++)
		ladder_add_window(&ladder, &window);
	window.stage = NULL;
	window.len_ns = 1000;
	for (unsigned i = 0; i < 9; i++)
		ladder_add_window(&ladder, &window);
	assert_true(strlen(printed()) > 100);
	add("bare", UINT64_MAX, UINT64_MAX, 1, 1, known(UINT64_MAX));
	add(NULL, 1, 1, 1, 1, known(1));
	assert_true(strlen(printed()) > 100);
}

TEST_F(setup, NULL, test_what_cannot_be_compared)
{
	struct ladder_step step;

	add("bare", S, 5, 1, 1, unknown);
	add("acpi", 0, 0, 0, 0, known(0));
	add("handoff", S, 5, 1, 1, known(2));
	ladder_step(&ladder, 1, &step);
	assert_int_equal(step.gaps.change, RATE_NOT_COMPARED);
	ladder_step(&ladder, 2, &step);
	assert_int_equal(step.gaps.change, RATE_NOT_COMPARED);
	assert_int_equal(step.smi.change, RATE_NOT_COMPARED);
	assert_non_null(strstr(printed(), "bare to acpi: gaps not compared; SMIs not compared"));
	assert_non_null(strstr(text,
			       "\nacpi          1       0.000        n/a       n/a         n/a"
			       "         n/a\n"));
}

/* A stage that broke off has windows, but no core whose longest gap is known. */
TEST_F(setup, NULL, test_no_core_has_reported)
{
	const struct record_window window = { .stage = "handoff", .len_ns = S, .gaps = 3 };

	add("bare", S, 5, 1, 1000, known(2));
	ladder_add_window(&ladder, &window);
	assert_non_null(strstr(printed(),
			       "\nhandoff       0         n/a        n/a       n/a         n/a"
			       "         n/a\n"));
	assert_non_null(strstr(text, "bare to handoff, core 0 alone: gaps not compared"));
}

/* From nothing there is no percentage. */
TEST_F(setup, NULL, test_from_nothing)
{
	add("bare", S, 0, 0, 0, known(0));
	add("handoff", S, 50, 1, 1, known(1));
	/* 2 * 2^-50 is 1.78e-15. */
	assert_non_null(strstr(printed(), "gaps 0.00 to 50.00 /s (significant, p 1.8e-15)"));
	assert_non_null(strstr(text, "SMIs 0.00 to 1.00 /s (not significant, p 1.0)"));
}

/* Records come from captures: names of any length, numbers of any size, stages without end. */
TEST_F(setup, NULL, test_hostile_records)
{
	char name[40];

	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%u-a-name-that-is-longer-than-any", i);
		add(name, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, known(UINT64_MAX));
		add(name, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, known(UINT64_MAX));
	}
	assert_int_equal(ladder.count, LADDER_RUNGS);
	assert_int_equal(strlen(ladder.rung[0].stage), LADDER_STAGE_MAX);
	assert_true(ladder.rung[0].gaps == UINT64_MAX);
	assert_int_equal(ladder.rung[0].cores, 2);
	add(NULL, 1, 1, 1, 1, unknown);
	assert_true(strlen(printed()) > 100);
	setup(NULL);
	add(NULL, 1, UINT64_MAX, UINT64_MAX, 1, known(UINT64_MAX));
	add("bare", UINT64_MAX, 0, 0, 1, known(0));
	assert_true(strlen(printed()) > 100);
}
