/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases as LAVA reads them. */
#include "core/report/report.h"

#include "tests/unit/common/test.h"
#include "tests/unit/kept_lines.h"

#define SIGNAL "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID="

static struct config config;
static struct record_cpu cpus[2];
static struct report report = { .config = &config, .line = keep_line, .scratch.cpus = cpus };

static void begin(void)
{
	forget_lines();
	config_defaults(&config);
	config.lava = true;
	report.stage = "bare";
	report.lava_failed = false;
	report.summary.record.exposure_ns.known = false;
	cpus[0] = (struct record_cpu){ .exposure_ns = 1000000, .max_ns = 9 };
	cpus[1] = (struct record_cpu){ .cpu = 1, .exposure_ns = 1000000, .max_ns = 25400 };
}

TEST_F(begin, NULL, test_cores)
{
	report_lava_cpus(&report, 2);
	assert_text(SIGNAL "bare-cpu-0 RESULT=skip UNITS=us MEASUREMENT=0.009>\n");
	assert_text(SIGNAL "bare-cpu-1 RESULT=skip UNITS=us MEASUREMENT=25.400>\n");
	forget_lines();
	config.limit[LIMIT_MAX] = (struct config_limit){ true, 20000 };
	report_lava_cpus(&report, 2);
	assert_text(SIGNAL "bare-cpu-0 RESULT=pass UNITS=us MEASUREMENT=0.009>\n");
	assert_text(SIGNAL "bare-cpu-1 RESULT=fail UNITS=us MEASUREMENT=25.400>\n");
	assert_true(report.lava_failed);
	forget_lines();
	config.lava = false;
	report_lava_cpus(&report, 2);
	assert_string_equal(kept_text, "");
}

/* An id has no space, and no character that would end the signal. */
TEST_F(begin, NULL, test_run)
{
	static const struct preset preset = { .name = "a b>=c" };
	struct verdict_reasons reasons = { .verdict = VERDICT_PASS };

	config.preset = &preset;
	report_lava_end(&report, &reasons);
	assert_string_equal(kept_text, SIGNAL "run-complete RESULT=pass>\n" SIGNAL
					      "run-long-enough-for-preset-a-b--c RESULT=pass>\n");
	forget_lines();
	reasons.remark[0] = 'x';
	report.summary.record.exposure_ns.known = true;
	report_lava_end(&report, &reasons);
	assert_text(SIGNAL "run-complete RESULT=pass UNITS=us MEASUREMENT=0.000>\n");
	assert_text("-a-b--c RESULT=skip>\n");
	/* A core's failure is not the run's as well. */
	for (unsigned failed = 0; failed < 2; failed++) {
		forget_lines();
		reasons.verdict = VERDICT_FAIL;
		report.lava_failed = failed;
		report_lava_end(&report, &reasons);
		assert_text(failed ? "run-complete RESULT=pass " : "run-complete RESULT=fail ");
	}
	forget_lines();
	reasons.verdict = VERDICT_INCOMPLETE;
	report_lava_end(&report, &reasons);
	assert_text("run-complete RESULT=unknown ");
}
