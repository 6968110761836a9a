/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: prepare the cores, measure a stage window by window. */
#pragma once

#include "core/config/config.h"
#include "pauses.h"
#include "core/gaps/platform.h"
#include "core/report/report.h"
#include "team.h"
#include "core/report/verdict.h"

struct run {
	const struct config *config;
	struct platform *platform;
	struct report *report;
	struct verdict_reasons reasons;
	struct team team;
	struct platform_window plan;
	struct clockwatch watch[CLOCKWATCH_MAX];
	struct verdict_clock_faults clock_faults;
	struct pauses pauses; /* of the stage */
	bool over;            /* ended early: no further stage */
};

/*
 * Start the team on the platform and let each core learn what it can do:
 * evidence, costs, TSC offset, NMI.
 */
void run_prepare(struct run *r);

/* Measure one stage; reports it. */
void run_stage(struct run *r, const char *stage);

/* Judge the stage measured last: of a ladder, what an OS inherits. */
void run_judge(struct run *r);

/* Does somebody want the run to end? Then the verdict has the reason. */
bool run_stop_requested(struct run *r);

/* Report what the processors have logged since the last time; cpu->throttled has it, too. */
void run_logs(struct run *r);

/* Let the cores go. */
void run_finish(struct run *r);
