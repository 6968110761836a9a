/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a person sees on the machine's own screen: the start with its
 * configuration, the run as it goes on, the result in letters for the whole
 * room. Pages are drawn into cells; who paints them, and when, is the caller's
 * affair. All between windows, on the boot core.
 */
#pragma once

#include "cells.h"
#include "core/gaps/hist.h"
#include "core/report/report.h"
#include "core/report/verdict.h"

#include <stdint.h>

#define SCREEN_EVENTS      8   /* the latest ones that are shown */
#define SCREEN_COLUMNS_MAX 256 /* of the histogram */

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

	const char *stage;     /* whose events these are */
	uint64_t from[CAUSES]; /* ticks: gaps from here on are yet to be merged, or once more */
	struct screen_event event[SCREEN_EVENTS]; /* the earliest first */
	unsigned events;

	/* Scratch of the histogram: the column of each bucket, and the sum of each column. */
	uint8_t column_of[HIST_BUCKETS];
	uint64_t column[SCREEN_COLUMNS_MAX];
};

/* cells are set up; the rest is zero. */
void screen_init(struct screen *s, const struct report *report, const struct record_begin *begin);

/* What the start asks of a person. */
struct screen_question {
	uint64_t seconds;      /* until it starts by itself; 0: it waits */
	const char *config;    /* "key=value key=value ..." */
	const char *usual;     /* the same at the defaults: what differs stands out */
	const char *typed;     /* so far */
	const char *complaint; /* about what was typed before; "": none */
};

void screen_start(struct screen *s, const struct screen_question *question);

/* Nothing is measured yet, but the machine is being got ready. */
void screen_wait(struct screen *s, const char *what);

/* Once for each window, whether or not it is shown: take in its events. */
void screen_window(struct screen *s);

/* The run as it is, before and after each window. keys: what a person may do. */
void screen_live(struct screen *s, const char *keys);

struct screen_code; /* screen_code.h */

/* What the last page shows beside the verdict. */
struct screen_end {
	const struct verdict_reasons *reasons;
	const char *const *notes; /* up to a NULL: further sentences, in order */
	const char *what_next;    /* "this machine may be switched off" */
	uint64_t sid;             /* of the run */
	/* Of a run that was kept: what was printed on the machine, and by screen_end_facts(). */
	const char *about, *facts;
	/* Drawn where there is room for it; NULL: none. */
	const struct screen_code *code;
};

void screen_end(struct screen *s, const struct screen_end *end);

/* Print what was measured on what, by which limits, and what each stage had. */
void screen_end_facts(const struct report *r, const struct screen_end *end, lines_put *line,
		      void *ctx);

/* Print what the page shows, as lines of text: for a console, where nothing can be painted. */
void screen_end_text(const struct record_begin *begin, const struct report *report,
		     const struct screen_end *end, lines_put *line, void *ctx);
