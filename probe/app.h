/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The application and its parts. There is one, which each part may use; those that tests build
 * alone have pointers to what they need.
 */
#pragma once

#include "probe/attest/attest.h"
#include "probe/platform/clocks.h"
#include "complaints.h"
#include "probe/platform/cores.h"
#include "describe.h"
#include "probe/person/display.h"
#include "probe/person/keys.h"
#include "machine.h"
#include "probe/net/network.h"
#include "options.h"
#include "output.h"
#include "probe/fault/last_words.h"
#include "probe/save/save.h"
#include "stages.h"

#include "core/gaps/platform.h"
#include "core/report/report.h"
#include "core/run/run.h"

#include <stdbool.h>

struct survey_parts; /* core/modes/survey/survey_room.h */

struct app {
	struct complaints complaints;
	struct machine machine;
	struct options options;
	struct output output;
	struct display display;
	struct network network;
	struct save save;
	struct cores cores;
	struct clocks clocks;
	struct stages stages;
	struct platform platform;
	struct describe_begin begin;
	struct report report;
	struct run run;
	struct attest attest;
	struct last_words last_words;
	unsigned ended; /* steps of the run's end that are done: leave.c */
	bool begun;     /* the begin record is out */
	bool harvested; /* this start has dealt with an earlier run's report: harvest.h */
};

/* The application, from app_connect() on. It was zeroed, and is not moved afterwards. */
extern struct app *app;
void app_connect(struct app *a);

/* End the run here with the reason `why`: incomplete, or an error if it has not begun. */
void app_cut_short(struct app *a, const char *why);

/* ---- Steps of the run that have a file of their own ---- */

/*
 * Show the configuration, which a person may change. Returns false if the person wants to leave.
 * Nothing is asked if nobody may be there.
 */
bool app_countdown(struct app *a);

/*
 * Send tables, memory map, PCI functions, IOMMUs, chipset and clocks as parts; nothing is written.
 * Called on the boot core, while the firmware is alive. `ctx` is the struct app; `t` is empty.
 */
void app_survey(void *ctx, struct survey_parts *parts, struct text *t);
