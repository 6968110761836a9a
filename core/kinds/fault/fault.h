/* SPDX-License-Identifier: BSD-2-Clause */
/* Last words of a core that cannot continue, with the probe's last steps. */
#pragma once

#include "core/records/record.h"

struct report; /* core/report/report.h */

#define FAULT_STEP_MAX 80 /* bytes of a step, which is cut */

struct fault_words {
	struct record_fault record; /* its strings may be below */
	char doing[FAULT_STEP_MAX];
	char step[RECORD_STRINGS][FAULT_STEP_MAX];
};

/*
 * Fill record.doing and record.steps with the last steps (core/lib/steps.h). Nothing is allocated
 * or waited for.
 */
void fault_take_steps(struct fault_words *w);

/* Append "fault: page fault", or what was waited for. */
void fault_print_name(struct text *t, const struct record_fault *f);

/* Append ", at 0x7e5f1234 (image + 0x1234), address 0x8, vector 14, syndrome 0x2". */
void fault_print_where(struct text *t, const struct record_fault *f);

/* Report a wait that has been given up for good: "a core that does not come back". */
void fault_report_wait(struct report *r, const char *what, struct maybe cpu);
