/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of a run's stages: its sums and order, which steps are compared, and its text. */
#include "host/capture/result.h"
#include "host/findings/finding.h"
#include "host/kinds/host_kind.h"

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S          UINT64_C(1000000000)
#define STAGES_MAX 20
#define CORES      16
#define WINDOWS    10

static struct result_stage stage[STAGES_MAX];
static struct record_cpu cpu[STAGES_MAX][CORES];
static struct result_window window[STAGES_MAX][WINDOWS];
static char name[STAGES_MAX][64];
static struct result run = { .stage = stage };

static const struct maybe unknown = { 0, false };

static struct maybe known(uint64_t value)
{
	return (struct maybe){ value, true };
}

static void setup(void)
{
	run.stages = 0;
	memset(stage, 0, sizeof(stage));
	memset(window, 0, sizeof(window));
}

static struct result_stage *stage_of(const char *of)
{
	size_t n = 0;

	while (n < run.stages && strcmp(name[n], of) != 0)
		n++;
	if (n == run.stages) {
		snprintf(name[n], sizeof(name[n]), "%s", of);
		stage[run.stages++] = (struct result_stage){ .name = name[n],
							     .cpu = cpu[n],
							     .window = window[n] };
	}
	return &stage[n];
}

/* Add the stage's next core, whose events are spread over its windows as evenly as can be. */
static void add(const char *of, uint64_t exposure, uint64_t gaps, struct maybe smi)
{
	struct result_stage *s = stage_of(of);

	s->cpu[s->cpus] = (struct record_cpu){ .cpu = (uint32_t)s->cpus,
					       .exposure_ns = exposure,
					       .gaps = gaps,
					       .noise_ns = gaps * 10000,
					       .max_ns = gaps * 100,
					       .smi = smi };
	s->cpus++;
	s->windows = WINDOWS;
	for (uint64_t w = 0; w < WINDOWS; w++) {
		struct result_window *to = &s->window[w];
		struct maybe *counted = &to->counted[EVIDENCE_SMI];

		to->start_ns = w * (exposure / WINDOWS);
		to->len_ns = exposure / WINDOWS;
		to->gaps += gaps / WINDOWS + (w < gaps % WINDOWS);
		counted->known = smi.known;
		counted->value += smi.value / WINDOWS + (w < smi.value % WINDOWS);
	}
}

/* The finding on a counter for the step to a rung. */
static struct finding step_to(size_t to, enum spread_counter counter)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(&run);
	struct findings f = { .bounds = "" };
	struct finding found = { .change = FINDING_NOT_COMPARED };

	if (host_kind_ladder_step(&ladder, to, &f))
		found = f.at[counter];
	findings_free(&f);
	return found;
}

/* The text, until the next call. */
static const char *printed(void)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(&run);
	FILE *terminal = stdout;
	static char *text;
	size_t bytes;

	free(text);
	stdout = open_memstream(&text, &bytes);
	host_kind_ladder_print(&ladder);
	assert_int_equal(fclose(stdout), 0);
	stdout = terminal;
	return text;
}

/* Rungs follow the order of the stages, whatever the order of the records. */
TEST_F(setup, NULL, test_order_and_sums)
{
	static const char *const order[] = { "firmware", "bare", "acpi", "handoff", "other" };
	struct host_kind_ladder ladder;
	json_t *rungs, *bare;

	stage_of("empty");
	add("other", S, 1, unknown);
	add("handoff", S, 1, unknown);
	add("bare", S, 10, known(3));
	add("firmware", S, 1, known(1));
	add("firmware", S, 1, unknown);
	add("bare", 2 * S, 30, known(4));
	add("acpi", S, 1, unknown);
	ladder = host_kind_ladder_of(&run);
	assert_int_equal(ladder.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(ladder.rung[i]->name, order[i]);
	rungs = host_kind_ladder_json(&ladder);
	bare = json_array_get(rungs, 1);
	assert_int_equal(json_integer_value(json_object_get(bare, "cores")), 2);
	assert_int_equal(json_integer_value(json_object_get(bare, "exposure_ns")), 3 * S);
	assert_int_equal(json_integer_value(json_object_get(bare, "gaps")), 40);
	assert_int_equal(json_integer_value(json_object_get(bare, "noise_ns")), 400000);
	assert_int_equal(json_integer_value(json_object_get(bare, "max_ns")), 3000);
	assert_int_equal(json_integer_value(json_object_get(bare, "smi")), 7);
	assert_true(json_is_null(json_object_get(json_array_get(rungs, 0), "smi")));
	json_decref(rungs);
}

/*
 * MP Services may give no core but the boot core, which alone has the firmware's timer, or a
 * device's SMIs. Compared with all cores, ExitBootServices would seem to have removed them.
 */
TEST_F(setup, NULL, test_cores_that_one_stage_lacks)
{
	add("firmware", S, 1000, known(100));
	add("bare", S, 1000, known(100));
	for (unsigned n = 0; n < 7; n++)
		add("bare", S, 0, known(0));
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_SAME);
	assert_int_equal(step_to(1, SPREAD_SMI).change, FINDING_SAME);
	assert_non_null(strstr(printed(), "\nfirmware to bare, core 0 alone:\n"));
	/* All cores are compared where both have them. */
	for (unsigned n = 0; n < 7; n++)
		add("firmware", S, 500, known(50));
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_LESS);
	assert_non_null(strstr(printed(), "\nfirmware to bare:\n"));
	/* Stages without a common core are not compared. */
	stage[0].cpus = 1;
	stage[0].cpu[0].cpu = 3;
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_NOT_COMPARED);
	assert_non_null(strstr(printed(), "\nfirmware to bare, core 0 alone: not compared\n"));
}

/* An SMI on all cores is one event: 16 cores are no stronger evidence than one core. */
TEST_F(setup, NULL, test_cores_do_not_multiply_evidence)
{
	double p[2];

	for (unsigned many = 0; many < 2; many++) {
		setup();
		for (unsigned i = 0; i < (many ? CORES : 1); i++) {
			add("bare", 10 * S, 9, known(9));
			add("handoff", 10 * S, 2, known(2));
		}
		assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_SAME);
		p[many] = step_to(1, SPREAD_GAPS).log10_p;
		assert_true(p[many] == step_to(1, SPREAD_SMI).log10_p);
	}
	assert_true(p[0] == p[1]);
}

/* Rates are compared, not counts: twice the gaps in ten times the time are a lower rate. */
TEST_F(setup, NULL, test_stages_of_unequal_length)
{
	add("bare", 10 * S, 1000, unknown);
	add("handoff", 100 * S, 2000, unknown);
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_LESS);
	setup();
	add("bare", 100 * S, 2000, unknown);
	add("handoff", 10 * S, 1000, unknown);
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_MORE);
}

TEST_F(setup, NULL, test_a_step_that_removes_smis)
{
	const char *text;

	add("acpi", 60 * S, 90, known(40));
	add("handoff", 60 * S, 85, known(0));
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_SAME);
	assert_int_equal(step_to(1, SPREAD_SMI).change, FINDING_LESS);
	text = printed();
	assert_non_null(strstr(text, "\nacpi          1      60.000       1.50      0.66"
				     "        15.0         9.0\n"));
	assert_non_null(strstr(text, "\nhandoff       1      60.000       1.41      0.00"
				     "        14.1         8.5\nacpi to handoff:\n"));
	/* 2 * 2^-40 is 1.82e-12. */
	assert_non_null(strstr(text, "-100.0 %, p 1.8e-12: less\n"));
	run.no_smi = true;
	text = printed();
	run.no_smi = false;
	assert_null(strstr(text, "SMI"));
	assert_null(strstr(text, "NMI"));
	assert_non_null(strstr(text, "machine checks"));
}

TEST_F(setup, NULL, test_what_cannot_be_compared)
{
	add("bare", S, 5, unknown);
	add("acpi", 0, 0, known(0));
	add("handoff", S, 5, known(2));
	assert_int_equal(step_to(1, SPREAD_GAPS).change, FINDING_NOT_COMPARED);
	assert_int_equal(step_to(2, SPREAD_SMI).change, FINDING_NOT_COMPARED);
	assert_non_null(strstr(printed(), "\nbare to acpi: not compared\n"));
	assert_non_null(strstr(printed(),
			       "\nacpi          1       0.000        n/a       n/a         n/a"
			       "         n/a\n"));
	/* A stage that broke off has windows, but no core whose longest gap is known. */
	setup();
	add("bare", S, 5, known(2));
	stage_of("handoff")->windows = 1;
	assert_non_null(strstr(printed(),
			       "\nhandoff       0         n/a        n/a       n/a         n/a"
			       "         n/a\n"));
	assert_non_null(strstr(printed(), "\nbare to handoff, core 0 alone: not compared\n"));
}

/* Records come from captures: names of any length, numbers of any size, stages without end. */
TEST_F(setup, NULL, test_hostile_records)
{
	char of[60];

	for (unsigned i = 0; i < STAGES_MAX; i++) {
		snprintf(of, sizeof(of), "%u-a-name-\x1b-that-is-longer-than-any", i);
		for (unsigned n = 0; n < 2; n++)
			add(of, UINT64_MAX, UINT64_MAX, known(UINT64_MAX));
		for (unsigned n = 0; n < WINDOWS; n++)
			window[i][n].len_ns = n % 3 ? n : UINT64_MAX;
	}
	assert_int_equal(host_kind_ladder_of(&run).count, HOST_KIND_LADDER_RUNGS);
	assert_null(strchr(printed(), '\x1b'));
	setup();
	add("n/a", 1, UINT64_MAX, known(UINT64_MAX));
	add("bare", UINT64_MAX, 0, known(0));
	assert_non_null(strstr(printed(), "bare to n/a:\n"));
}
