/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector remembers about a run: the machine, and how it ended. Read line by line. */
#pragma once

#include "line.h"

#include "core/config/mode.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

#define SUMMARY_TEXT 48

struct summary {
	/* From `begin`; "": not known. Printable ASCII. */
	char uuid[SUMMARY_TEXT], product[SUMMARY_TEXT], bios[SUMMARY_TEXT];
	char began[2 * SUMMARY_TEXT / 3]; /* wall time, ISO 8601 */
	char verdict[16];                 /* from `end`; "": not received yet */
	char reason[2 * SUMMARY_TEXT];    /* the first of its reasons */
	char remark[2 * SUMMARY_TEXT];    /* the same of a pass; summary_remark() */
	bool ended;
	const struct mode *mode; /* from `begin`; NULL: the default, or not known */
	uint64_t length_ns; /* from the begin to the end of the last window; 0: there is none */
	uint64_t lines;
	uint64_t lost;    /* missing lines */
	unsigned changes; /* how often one of the texts was set */
};

/* Does this line change the summary, beyond the count of lines? */
bool summary_wants(const struct line *line);

/* The next line of the run, whole and verified. */
void summary_line(struct summary *s, const struct line *line);

/*
 * The verdict that can be relied on: "incomplete" until `end` is received, and where lines are
 * missing; "error" for an unknown word.
 */
const char *summary_verdict(const struct summary *s);

enum verdict summary_outcome(const struct summary *s);

/* What a pass that can be relied on lacks; "": nothing, or it is none. */
const char *summary_remark(const struct summary *s);

/* The exit code of that verdict, enum exit_code. */
int summary_exit_code(const struct summary *s);

/* Every line from the first to `end` was received. */
bool summary_complete(const struct summary *s);

/* Set its mode, by what else is known of the run. */
void summary_set_mode(struct summary *s, const struct mode *mode);
