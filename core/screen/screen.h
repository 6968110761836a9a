/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages on the machine's own screen: the start with its configuration, and the run as it goes on;
 * the result has end_page.h. Pages are drawn into cells; the caller chooses the painter and the
 * time. All between windows, on the boot core.
 */
#pragma once

#include "cells.h"
#include "core/report/report.h"

#include <stdint.h>

struct screen {
	struct cells cells;
	const struct report *report;
	const struct record_begin *begin; /* machine and processor; may be filled in later */
};

/* The start page's question. */
struct screen_question {
	uint64_t seconds;      /* until it starts by itself; 0: it waits */
	const char *config;    /* "key=value key=value ..." */
	const char *typed;     /* keys typed so far */
	const char *complaint; /* about what was typed before; "": none */
};

void screen_start(struct screen *s, const struct screen_question *question);

/* Show that the machine is being prepared, and nothing is measured yet. */
void screen_wait(struct screen *s, const char *what);

/* Show the progress of the run, before and after each window. keys: keys that can be pressed. */
void screen_live(struct screen *s, const char *keys);
