/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's own screen: where its pixels are, and when pages are painted. Nothing is painted
 * while cores sample: each function is called before, between or after windows.
 */
#pragma once

#include "core/report/report.h"
#include "core/report/verdict.h"
#include "core/screen/end_page.h"
#include "core/screen/screen_code.h"
#include "drivers/framebuffer.h"

#include <stdbool.h>
#include <stdint.h>

#define DISPLAY_NOTES    6
#define DISPLAY_NOTE_MAX 200

struct display {
	struct screen *screen; /* NULL: there is no screen */
	struct screen_code *code;
	struct record_code_work *code_work;
	struct end_page page;
	bool is_kept; /* the page is that of a harvest's run, else of the run of this start */
	struct framebuffer framebuffer;
	bool by_firmware; /* no linear framebuffer: door.paint() shows pixels */
	struct cells_layout layout;
	uint32_t palette[INKS];
	uint32_t *pixels;  /* the pixels of one cell */
	uint64_t until;    /* tick at which painting pauses */
	const char *stage; /* the stage whose page was shown last */
	bool unfinished;   /* the page is shown in part only */
	bool ended;        /* the end page is shown */
	bool printed;      /* the end page is on the firmware's console, for lack of a screen */
	bool is_harvest;   /* this start shows a saved run */
	unsigned notes;
	char note[DISPLAY_NOTES][DISPLAY_NOTE_MAX];
};

/* Find the screen, and clear it. */
void display_open(struct display *d);

void display_start(struct display *d, const struct screen_question *question);
void display_wait(struct display *d, const char *what);

/*
 * Go on with the screen after ExitBootServices, writing its pixels directly. False: that is
 * impossible, and there is no screen any more.
 */
bool display_take_over(struct display *d);

/*
 * Called in an exception handler: show a page with the fault at once, if its pixels can be written
 * directly. The end page lists the fault, too.
 */
void display_fault(struct display *d, const struct record_fault *f);

/* The function for platform.between: paint the stage's page, as far as a few ms allow. */
void display_between(struct display *d);

/*
 * Show the end page of the run. If the run has not begun, it has complaints, which are the reason
 * why not. If no screen can be painted and the firmware is alive, its console shows the page as
 * text.
 */
void display_end(struct display *d);

/* Show the end page again: what follows the run may have changed. */
void display_end_again(struct display *d);

/* The end page that is shown; NULL: nothing was measured. */
const struct end_page *display_page(struct display *d);

/*
 * Find the screen, and show the end page of a saved run. `page` was checked; without it only the
 * verdict and the notes are shown.
 */
void display_harvest(struct display *d, const struct end_page *page);

/* Add a sentence to the end page; if that is shown, show it again. */
void display_note(struct display *d, const char *text);

/* Clear the screen for the firmware's console. */
void display_close(const struct display *d);
