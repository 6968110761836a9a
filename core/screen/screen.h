/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages on the machine's own screen: the start with its configuration, the run as it goes on, the
 * result in letters for the whole room. Pages are drawn into cells; the caller chooses the painter
 * and the time. All between windows, on the boot core.
 */
#pragma once

#include "cells.h"
#include "core/gaps/hist.h"
#include "core/report/report.h"
#include "core/report/verdict.h"

#include <stdint.h>

#define SCREEN_EVENTS      8   /* the latest ones that are shown */
#define SCREEN_COLUMNS_MAX 256 /* columns of the histogram */

/* An event of one cause. */
struct screen_event {
	uint64_t start, end; /* ticks of the boot core's TSC */
	uint32_t cpus;
	uint32_t first; /* the core that it held first */
	uint8_t cause;
};

struct screen {
	struct cells cells;
	const struct report *report;
	const struct record_begin *begin; /* machine and processor; may be filled in later */

	const char *stage;     /* stage of these events */
	uint64_t from[CAUSES]; /* ticks: gaps from here on are still to be merged, or again */
	struct screen_event event[SCREEN_EVENTS]; /* the earliest first */
	unsigned events;

	/* Scratch of the histogram: the column of each bucket, and the sum of each column. */
	uint8_t column_of[HIST_BUCKETS];
	uint64_t column[SCREEN_COLUMNS_MAX];
};

/* Initialize the screen: `cells` is set up, the rest is zero. */
void screen_init(struct screen *s, const struct report *report, const struct record_begin *begin);

/* The start page's question. */
struct screen_question {
	uint64_t seconds;      /* until it starts by itself; 0: it waits */
	const char *config;    /* "key=value key=value ..." */
	const char *usual;     /* text at the defaults: differences stand out */
	const char *typed;     /* keys typed so far */
	const char *complaint; /* about what was typed before; "": none */
};

void screen_start(struct screen *s, const struct screen_question *question);

/* Show that the machine is being prepared, and nothing is measured yet. */
void screen_wait(struct screen *s, const char *what);

/* Take in the events of a window. Call it for each window, even if no page is shown. */
void screen_window(struct screen *s);

/* Show the progress of the run, before and after each window. keys: keys that can be pressed. */
void screen_live(struct screen *s, const char *keys);

struct screen_code; /* screen_code.h */

/* Contents of the end page beside the verdict. */
struct screen_end {
	const struct verdict_reasons *reasons;
	const char *const *notes; /* up to a NULL: further sentences, in order */
	const char *what_next;    /* "this machine may be switched off" */
	uint64_t sid;             /* sid of the run */
	/* Text of a stored run: as printed on the machine, and by screen_end_facts(). */
	const char *about, *facts;
	/* The QR code, drawn if there is room; NULL: none. */
	const struct screen_code *code;
};

void screen_end(struct screen *s, const struct screen_end *end);

/*
 * Print the facts of a run: what was measured, on which machine, with which limits, and each
 * stage's totals.
 */
void screen_end_facts(const struct report *r, const struct screen_end *end, lines_put *line,
		      void *ctx);

/* Print the page as lines of text, for a console without graphics. */
void screen_end_text(const struct record_begin *begin, const struct report *report,
		     const struct screen_end *end, lines_put *line, void *ctx);
