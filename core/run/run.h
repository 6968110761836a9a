/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: prepare the cores, measure a stage window by window. */
#pragma once

#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/report/report.h"
#include "team.h"
#include "core/report/verdict.h"

/*
 * Pauses that clocks have seen in the stage. A wrong clock may be wrong in every window, and
 * nothing is measured while one reports. The first hidden pauses of a stage are reported at once,
 * since a gap may be in them. All others, and the times in which a TSC ran ahead, which hide
 * nothing, are added up per clock and direction, and reported when the stage ends.
 */
#define RUN_PAUSES_SINGLE 16 /* hidden pauses that a stage reports one by one */

struct run_pauses {
	unsigned hidden;                             /* reported one by one */
	struct record_pause rest[CLOCKWATCH_MAX][2]; /* sums of each clock: behind, and ahead */
};

struct run {
	const struct config *config;
	struct platform *platform;
	struct report *report;
	struct verdict_reasons reasons;
	struct team team;
	struct platform_window plan;
	struct clockwatch watch[CLOCKWATCH_MAX];
	struct verdict_clock_faults clock_faults;
	struct run_pauses pauses;
	bool over; /* ended early: no further stage */
};

/*
 * Start the team on the platform, and let each core detect and calibrate: evidence, costs, TSC
 * offset, NMI.
 */
void run_prepare(struct run *r);

/* Measure one stage, and report it. */
void run_stage(struct run *r, const char *stage);

/* Judge the stage that was measured last: in a ladder, the one that an OS inherits. */
void run_judge(struct run *r);

/* True if the user or a supervisor wants the run to end; the verdict then has the reason. */
bool run_stop_requested(struct run *r);

/* Call this before and after each window: reads counters that cores cannot read themselves. */
void run_count(struct run *r, bool after);

/* Call this before a stage's first window and after each: the platform does its other work. */
void run_between(struct run *r);

/* Report new entries of the processors' logs; cpu->throttled has them, too. */
void run_logs(struct run *r);

/* Release the cores. */
void run_finish(struct run *r);
