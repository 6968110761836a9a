/* SPDX-License-Identifier: BSD-2-Clause */
/* The application: its parts, each of which has pointers to those that it needs. */
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

struct app {
	struct complaints complaints;
	struct machine machine;
	struct options options;
	struct output output;
	struct keys keys;
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
	unsigned ended; /* steps of the run's end that are done: ends.c */
	bool begun;     /* the begin record is out */
	bool harvested; /* this start has dealt with an earlier run's report: harvest.h */
};

/*
 * Connect the parts with each other. The application is zeroed, and must not be moved afterwards.
 */
void app_connect(struct app *a);

/* End the run here with the reason `why`: incomplete, or an error if it has not begun. */
void app_cut_short(struct app *a, const char *why);
