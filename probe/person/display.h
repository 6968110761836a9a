/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's own screen: where its pixels are, and when pages are painted. Never
 * while cores sample: each function is called before, between or after windows.
 */
#pragma once

#include "probe/complaints.h"
#include "keys.h"

#include "core/config/config.h"
#include "core/report/report.h"
#include "core/report/report_restore.h"
#include "core/report/verdict.h"
#include "core/screen/screen_code.h"
#include "drivers/framebuffer.h"
#include "core/gaps/tsc_rate.h"

#include <stdbool.h>
#include <stdint.h>

#define DISPLAY_NOTES    6
#define DISPLAY_NOTE_MAX 200

struct display {
	const struct config *config;
	const struct tsc_rate *clock;
	const struct complaints *complaints; /* why a run did not start */
	const struct keys *keys;
	const struct record_begin *begin;
	struct report *report;
	const bool *restarts; /* the machine restarts to write its results */

	struct screen *screen; /* NULL: there is none */
	struct screen_code *code;
	struct record_code_work *code_work;
	struct framebuffer framebuffer;
	bool by_firmware; /* door.paint() instead: there is no linear framebuffer */
	struct cells_layout layout;
	uint32_t palette[INKS_ALL];
	uint32_t *pixels;  /* of a cell */
	uint64_t until;    /* tick at which painting pauses */
	const char *stage; /* whose page was shown */
	bool unfinished;   /* the page is shown in part only */
	bool ended;        /* the end page is shown */
	bool printed;      /* it is on the firmware's console, for lack of a screen */
	bool begun;        /* the run has begun */
	const struct verdict_reasons *reasons;
	uint64_t sid;          /* of the run */
	const char *what_next; /* after a harvest; NULL: what follows a run */
	unsigned notes;
	char note[DISPLAY_NOTES][DISPLAY_NOTE_MAX];
};

/* Find the screen, and clear it. */
void display_open(struct display *d);

void display_start(struct display *d, const struct screen_question *question);
void display_wait(struct display *d, const char *what);

/* After ExitBootServices: pixels are written by ourselves. False: that cannot be, none is. */
bool display_take_over(struct display *d);

/*
 * At once, in an exception's handler: a page with the fault, where we paint ourselves. The end page
 * has it, too.
 */
void display_fault(struct display *d, const struct record_fault *f);

/* platform.between: the page of the stage, as far as a few ms allow. */
void display_between(struct display *d);

/*
 * The run of that sid is over. `begun`: it has begun; else complaints are shown, which are why it
 * has not. Where no screen can be painted and the firmware is there, its console has the same as
 * text.
 */
void display_end(struct display *d, const struct verdict_reasons *reasons, uint64_t sid,
		 bool begun);

/* What follows may have changed since: show it. */
void display_end_again(struct display *d);

/* Find the screen, and show the end page of a saved run; restored NULL: only the notes. */
void display_harvest(struct display *d, struct report_restored *restored, const char *next);

/* One more sentence for the end page, shown at once when that is there. */
void display_note(struct display *d, const char *text);

/* Leave an empty screen to the firmware's console. */
void display_close(const struct display *d);
