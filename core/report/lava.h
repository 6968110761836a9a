/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test cases, those of `noisefloor show --format junit`, a line each as LAVA reads them on a serial
 * console, if `lava=yes` is set:
 *
 *   <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=handoff-cpu-3 RESULT=pass UNITS=us MEASUREMENT=12.345>
 */
#pragma once

#include "report.h"

/* Name of the test case for a preset's duration; skipped if a pass has a remark. */
#define LAVA_LENGTH "long enough for preset %s"

/* Print the test cases of the first `count` of r->scratch.cpus, and those of the run. */
void lava_cpus(struct report *r, size_t count);
void lava_end(struct report *r, const struct verdict_reasons *reasons);
