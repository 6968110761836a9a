/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's own screen: where its pixels are, and when pages are painted. Never
 * while cores sample: each function is called before, between or after windows.
 */
#ifndef EFI_DISPLAY_H
#define EFI_DISPLAY_H

#include "core/screen/screen.h"
#include "drivers/framebuffer.h"

#include <stdbool.h>
#include <stdint.h>

#define DISPLAY_NOTES    4
#define DISPLAY_NOTE_MAX 200

struct app;

struct display {
	struct screen *screen; /* NULL: there is none */
	struct framebuffer framebuffer;
	void *blt; /* the protocol that paints instead, where there is no linear framebuffer */
	struct cells_layout layout;
	uint32_t palette[INKS];
	uint32_t *pixels;  /* of a cell */
	uint64_t until;    /* tick at which painting pauses */
	const char *stage; /* whose page was shown */
	bool unfinished;   /* the page is shown in part only */
	bool ended;        /* the end page is shown */
	unsigned notes;
	char note[DISPLAY_NOTES][DISPLAY_NOTE_MAX];
};

/* Find the screen, and clear it. */
void display_open(struct app *app);

void display_start(struct app *app, const struct screen_question *question);
void display_wait(struct app *app, const char *what);

/* After ExitBootServices: pixels are written by ourselves, or no more. */
void display_take_over(struct app *app);

/* platform.between: the page of the stage, as far as a few ms allow. */
void display_between(struct app *app);

void display_end(struct app *app);

/* One more sentence for the end page, shown at once when that is there. */
void display_note(struct app *app, const char *text);

/* Leave an empty screen to the firmware's console. */
void display_close(struct app *app);

#endif
