/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finding is what a comparison finds of one quantity: its value on both sides (before and after,
 * or below an OS and inside it), and whether it changed. The subcommands add findings; this file
 * alone prints them, as text, as JSON and as checks for CI servers.
 */
#pragma once

#include "host/forms/checks.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_unit {
	FINDING_RATE, /* per second and core */
	FINDING_NS,   /* printed as a duration */
	FINDING_CORES,
	FINDING_UNITS
};

enum finding_change {
	FINDING_SAME, /* not significant */
	FINDING_LESS,
	FINDING_MORE,
	FINDING_NOT_COMPARED,
	FINDING_KEPT,
	FINDING_GONE,
	FINDING_NEW,
	FINDING_STATED, /* printed without a judgement, and not a check */
	FINDING_CHANGES
};

struct finding_side {
	bool known, bounded;
	double value;     /* in the finding's unit */
	double low, high; /* if bounded, in the same unit */
};

struct finding {
	char what[80];
	enum finding_unit unit;
	struct finding_side side[2]; /* before, after */
	enum finding_change change;
	double log10_p; /* log10 of the chance of a difference this large; NAN: not computed */
	char why[600];  /* why it is not compared, else a remark on the change; "": none */
	uint64_t ns;    /* exposure, ns; 0: none */
};

/* The findings of one kind of record in one stage: a table. */
struct findings {
	const char *stage;
	const char *what, *bounds; /* table heads: "PER SECOND AND CORE", and " (95 %)" of sides */
	const char *side[3];       /* the other heads; NULL: BEFORE, AFTER, CHANGE */
	char about[160];           /* completes "stage bare: "; "": nothing to compare */
	char note[600];            /* lines after the table, each with its newline */
	struct finding *at;
	size_t count;
};

/*
 * Add a finding that is not compared yet. printf() formats its name. The pointer is valid until the
 * next call.
 */
struct finding *findings_add(struct findings *f, enum finding_unit unit, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

void findings_free(struct findings *f);

/* True if any finding is more or new; or less or gone. */
bool findings_more(const struct findings *f);
bool findings_less(const struct findings *f);

/* Print the table and the note. */
void findings_text(const struct findings *f);

/* Append an object for each finding to the array. */
void findings_json(const struct findings *f, json_t *list);

/* Add a check for each finding: it fails if more or new, and is skipped if not compared. */
void findings_checks(const struct findings *f, struct checks *checks);
