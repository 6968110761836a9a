/* SPDX-License-Identifier: BSD-2-Clause */
/* Test cases as LAVA reads them on a serial console, a line each. */
#pragma once

#include "report.h"

#define LAVA_LINE_MAX 256

enum lava_result { LAVA_PASS, LAVA_FAIL, LAVA_SKIP, LAVA_UNKNOWN };

/*
 * <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=handoff-cpu-3 RESULT=pass UNITS=us MEASUREMENT=12.345>
 *
 * The id is made of group and name; what LAVA does not accept in one becomes '-'. A measurement
 * that is not known is left out.
 */
void lava_signal(struct text *t, const char *group, const char *name, enum lava_result result,
		 struct maybe ns);

/* Name of the test case for a preset's duration; skipped if a pass has a remark. */
#define LAVA_LENGTH "long enough for preset %s"

/*
 * If `lava=yes` is set, print the test cases of `noisefloor show --format junit` as lines for
 * people: for the first `count` of r->scratch.cpus, and for the run.
 */
void lava_cpus(struct report *r, size_t count);
void lava_end(struct report *r, const struct verdict_reasons *reasons);
