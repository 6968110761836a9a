/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector remembers of a run: which machine, how it ended. Read line by line. */
#ifndef HOST_SUMMARY_H
#define HOST_SUMMARY_H

#include "line.h"

#include <stdbool.h>
#include <stdint.h>

#define SUMMARY_TEXT 48

struct summary {
	/* From `begin`; "": not known. Printable ASCII. */
	char uuid[SUMMARY_TEXT], product[SUMMARY_TEXT], bios[SUMMARY_TEXT];
	char verdict[16];              /* from `end`; "": it has not come */
	char reason[2 * SUMMARY_TEXT]; /* the first of its reasons */
	bool ended;
	uint64_t lines;
	uint64_t lost;    /* lines that never came */
	unsigned changes; /* how often one of the texts was learned */
};

/* Does this line say more than that there is one more? */
bool summary_wants(const struct line *line);

/* The next line of the run, whole and verified. */
void summary_line(struct summary *s, const struct line *line);

/*
 * The run's verdict as it may be relied on: "incomplete" until `end` has come, and where lines
 * are missing; "error" for a word that is none.
 */
const char *summary_verdict(const struct summary *s);

/* The exit code of that verdict, enum exit_code. */
int summary_exit_code(const struct summary *s);

/* Every line from the first to `end` is there. */
bool summary_complete(const struct summary *s);

#endif
