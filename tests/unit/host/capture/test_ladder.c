/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of a run's stages: its sums and order, which steps are compared, and its text. */
#include "host/capture/result.h"

#include "tests/unit/common/test.h"
#include "tests/unit/draw.h"

#include <stdio.h>
#include <string.h>

#define S          UINT64_C(1000000000)
#define STAGES_MAX 20
#define CORES      16
#define WINDOWS    60

static struct result_stage stage[STAGES_MAX];
static struct record_cpu cpu[STAGES_MAX][CORES];
static struct result_window window[STAGES_MAX][WINDOWS];
static char name[STAGES_MAX][64], text[4096];
static size_t stages;
static struct ladder ladder;

static const struct maybe unknown = { 0, false };

static struct maybe known(uint64_t value)
{
	return (struct maybe){ value, true };
}

static size_t columns; /* the most that a printed line may have */

static int setup(void **state)
{
	(void)state;
	stages = 0;
	columns = LINES_COLUMNS;
	memset(stage, 0, sizeof(stage));
	return 0;
}

static struct result_stage *stage_of(const char *of)
{
	size_t n = 0;

	while (n < stages && strcmp(name[n], of) != 0)
		n++;
	if (n == stages) {
		snprintf(name[n], sizeof(name[n]), "%s", of);
		stage[stages++] = (struct result_stage){ .name = name[n],
							 .cpu = cpu[n],
							 .window = window[n] };
	}
	return &stage[n];
}

/* Add the stage's next core; its cores are numbered from `number` on. */
static void add(const char *of, uint32_t number, uint64_t exposure, uint64_t gaps, struct maybe smi)
{
	struct result_stage *s = stage_of(of);

	s->cpu[s->cpus] = (struct record_cpu){ .cpu = number + (uint32_t)s->cpus,
					       .exposure_ns = exposure,
					       .gaps = gaps,
					       .noise_ns = gaps * 10000,
					       .max_ns = gaps * 100,
					       .smi = smi };
	s->cpus++;
}

static struct ladder_step step_to(size_t to)
{
	struct ladder_step step;

	ladder_make(&ladder, stage, stages);
	ladder_step(&ladder, to, &step);
	return step;
}

/* Keep a printed line; one that continues a sentence is joined to the line before it. */
static void keep(void *ctx, const char *line, size_t bytes)
{
	bool continued = strncmp(line, "    ", 4) == 0;

	(void)ctx;
	assert_true(bytes <= columns);
	assert_true(strlen(text) + bytes + 2 < sizeof(text));
	if (continued)
		text[strlen(text) - 1] = ' ';
	strncat(text, line + (continued ? 4 : 0), bytes);
	strcat(text, "\n");
}

static const char *printed(void)
{
	text[0] = '\0';
	ladder_make(&ladder, stage, stages);
	ladder_print(&ladder, keep, NULL);
	return text;
}

/* Rungs follow the order of the stages, whatever the order of the records. */
TEST_F(setup, NULL, test_order_and_sums)
{
	static const char *const order[] = { "firmware", "bare", "acpi", "handoff", "other" };

	stage_of("empty");
	add("other", 0, S, 1, unknown);
	add("handoff", 0, S, 1, unknown);
	add("bare", 0, S, 10, known(3));
	add("firmware", 0, S, 1, known(1));
	add("firmware", 0, S, 1, unknown);
	add("bare", 0, 2 * S, 30, known(4));
	add("acpi", 0, S, 1, unknown);
	ladder_make(&ladder, stage, stages);
	assert_int_equal(ladder.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(ladder.rung[i].stage, order[i]);
	assert_int_equal(ladder.rung[1].cores, 2);
	assert_int_equal(ladder.rung[1].sum.exposure_ns, 3 * S);
	assert_int_equal(ladder.rung[1].sum.gaps, 40);
	assert_int_equal(ladder.rung[1].sum.noise_ns, 400000);
	assert_int_equal(ladder.rung[1].sum.max_ns, 3000);
	assert_true(ladder.rung[1].sum.smi.known && ladder.rung[1].sum.smi.value == 7);
	assert_false(ladder.rung[0].sum.smi.known);
}

/*
 * MP Services may give no core but the boot core, which alone has the firmware's timer, or a
 * device's SMIs. Compared with all cores, ExitBootServices would seem to have removed them.
 */
TEST_F(setup, NULL, test_cores_that_one_stage_lacks)
{
	struct ladder_step step;

	add("firmware", 0, S, 1000, known(100));
	add("bare", 0, S, 1000, known(100));
	for (unsigned n = 0; n < 7; n++)
		add("bare", 3, S, 0, known(0));
	step = step_to(1);
	assert_int_equal(step.gaps.change, RATE_SAME);
	assert_int_equal(step.smi.change, RATE_SAME);
	assert_non_null(
		strstr(printed(), "firmware to bare, core 0 alone: gaps 1000.00 to 1000.00"));
	/* All cores are compared where both have them. */
	for (unsigned n = 0; n < 7; n++)
		add("firmware", 3, S, 500, known(50));
	assert_int_equal(step_to(1).gaps.change, RATE_LESS);
	assert_non_null(strstr(printed(), "firmware to bare: gaps"));
	/* Nothing is compared where the stages have no core in common. */
	setup(state);
	add("firmware", 3, S, 500, known(50));
	add("bare", 0, S, 1000, known(100));
	add("bare", 3, S, 0, known(0));
	assert_int_equal(step_to(1).gaps.change, RATE_NOT_COMPARED);
}

/* The same SMI on all cores is one event: 16 cores make it no more certain than one does. */
TEST_F(setup, NULL, test_cores_do_not_multiply_evidence)
{
	double p[2];

	for (unsigned many = 0; many < 2; many++) {
		setup(state);
		for (unsigned i = 0; i < (many ? CORES : 1); i++) {
			add("bare", 0, 10 * S, 9, known(9));
			add("handoff", 0, 10 * S, 2, known(2));
		}
		assert_int_equal(step_to(1).gaps.change, RATE_SAME);
		assert_true(step_to(1).gaps.log10_p == step_to(1).smi.log10_p);
		p[many] = step_to(1).gaps.log10_p;
	}
	assert_true(p[0] == p[1]);
}

TEST_F(setup, NULL, test_a_step_that_removes_smis)
{
	add("acpi", 0, 60 * S, 90, known(40));
	add("handoff", 0, 60 * S, 85, known(0));
	assert_int_equal(step_to(1).gaps.change, RATE_SAME);
	assert_int_equal(step_to(1).smi.change, RATE_LESS);
	assert_non_null(strstr(printed(), "\nacpi          1      60.000       1.50      0.66"
					  "        15.0         9.0\n"));
	assert_non_null(strstr(text, "\nhandoff       1      60.000       1.41      0.00"
				     "        14.1         8.5\n"));
	/* 2 * 2^-40 is 1.82e-12. */
	assert_non_null(strstr(text, "\nacpi to handoff: gaps 1.50 to 1.41 /s (-6.0 %, not "
				     "significant, p 0.7"));
	assert_non_null(strstr(text, "; SMIs 0.66 to 0.00 /s (-100.0 %, significant, "
				     "p 1.8e-12)\n"));
	/* A change from zero has no percentage. 2 * 2^-50 is 1.78e-15. */
	setup(state);
	add("bare", 0, S, 0, known(0));
	add("handoff", 0, S, 50, known(1));
	assert_non_null(strstr(printed(), "gaps 0.00 to 50.00 /s (significant, p 1.8e-15)"));
	assert_non_null(strstr(text, "SMIs 0.00 to 1.00 /s (not significant, p 1)"));
}

/*
 * Add `windows` windows with `events` events each on average; an event is `burst` gaps on each of
 * `cores` cores.
 */
static void add_bursts(const char *of, unsigned events, unsigned burst, unsigned cores,
		       unsigned windows)
{
	struct result_stage *s = stage_of(of);
	uint64_t total = 0;

	for (unsigned w = 0; w < windows; w++) {
		uint64_t gaps = 0;

		/* For each event, 50 chances of 1 in 50 make nearly a Poisson count. */
		for (unsigned i = 0; i < 50 * events; i++)
			gaps += draw(50) ? 0 : (uint64_t)burst * cores;
		total += gaps;
		s->window[s->windows++] =
			(struct result_window){ .start_ns = w * S, .len_ns = S, .gaps = gaps };
	}
	for (unsigned c = 0; c < cores; c++)
		add(of, 0, windows * S, total / cores, unknown);
}

/* The number of ladders, of 1000 without a change, that report a change. */
static unsigned alarms(unsigned burst, unsigned cores, unsigned windows)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		setup(NULL);
		add_bursts("bare", 5, burst, cores, windows);
		add_bursts("handoff", 5, burst, cores, windows);
		n += step_to(1).gaps.change != RATE_SAME;
	}
	return n;
}

/* 10 of 1000 are allowed; there would be hundreds if each gap of a burst counted. */
TEST_F(setup, NULL, test_bursts_are_no_evidence)
{
	assert_true(alarms(1, 1, WINDOWS) <= 20);
	assert_true(alarms(1, 8, WINDOWS) <= 20);
	assert_true(alarms(30, 1, WINDOWS) <= 20);
	assert_true(alarms(30, 4, WINDOWS) <= 20);
	assert_true(alarms(30, 1, 10) <= 25);
	/* Fewer windows do not show bursts. */
	assert_true(alarms(30, 1, DISPERSION_WINDOWS_MIN - 1) > 200);
}

TEST_F(setup, NULL, test_bursts_are_reported)
{
	struct ladder_step step;

	add_bursts("bare", 20, 30, 4, WINDOWS);
	add_bursts("handoff", 4, 30, 4, WINDOWS);
	step = step_to(1);
	assert_int_equal(step.gaps.change, RATE_LESS);
	/* Three standard deviations of the larger of two indices, each from 60 windows. */
	assert_true(step.gaps.size >= 15 && step.gaps.size <= 55);
	assert_non_null(strstr(printed(), ", in bursts of "));
	setup(state);
	add_bursts("bare", 20, 1, 1, WINDOWS);
	add_bursts("handoff", 4, 1, 1, WINDOWS);
	assert_null(strstr(printed(), "bursts"));
}

TEST_F(setup, NULL, test_what_cannot_be_compared)
{
	add("bare", 0, S, 5, unknown);
	add("acpi", 0, 0, 0, known(0));
	add("handoff", 0, S, 5, known(2));
	assert_int_equal(step_to(1).gaps.change, RATE_NOT_COMPARED);
	assert_int_equal(step_to(2).gaps.change, RATE_NOT_COMPARED);
	assert_int_equal(step_to(2).smi.change, RATE_NOT_COMPARED);
	assert_non_null(strstr(printed(), "bare to acpi: gaps not compared; SMIs not compared"));
	assert_non_null(strstr(text,
			       "\nacpi          1       0.000        n/a       n/a         n/a"
			       "         n/a\n"));
	/* A stage that broke off has windows, but no core whose longest gap is known. */
	setup(state);
	add("bare", 0, S, 5, known(2));
	stage_of("handoff")->windows = 1;
	assert_non_null(strstr(printed(),
			       "\nhandoff       0         n/a        n/a       n/a         n/a"
			       "         n/a\n"));
	assert_non_null(strstr(text, "bare to handoff, core 0 alone: gaps not compared"));
}

/* Records come from captures: names of any length, numbers of any size, stages without end. */
TEST_F(setup, NULL, test_hostile_records)
{
	char of[40];

	columns = 160; /* figures of no real machine are wider than their columns */
	for (unsigned i = 0; i < STAGES_MAX; i++) {
		snprintf(of, sizeof(of), "%u-a-name-that-is-longer-than-any", i);
		for (unsigned n = 0; n < 2; n++)
			add(of, 0, UINT64_MAX, UINT64_MAX, known(UINT64_MAX));
		for (unsigned n = 0; n < 9; n++)
			stage[i].window[stage[i].windows++] =
				(struct result_window){ .gaps = UINT64_MAX,
							.counted[EVIDENCE_SMI] = known(7),
							.len_ns = n % 3 ? n : UINT64_MAX };
	}
	assert_true(strlen(printed()) > 100);
	assert_int_equal(ladder.count, LADDER_RUNGS);
	assert_true(ladder.rung[0].sum.gaps == UINT64_MAX);
	setup(state);
	columns = 160;
	add("n/a", 0, 1, UINT64_MAX, known(UINT64_MAX));
	add("bare", 0, UINT64_MAX, 0, known(0));
	assert_true(strlen(printed()) > 100);
}
