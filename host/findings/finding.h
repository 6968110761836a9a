/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a comparison finds: two sides of a quantity (before and after, or below an OS and from
 * inside it), and whether it has changed. Whoever compares
 * adds findings; what they look like as text, JSON and checks for CI servers is known here only.
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
	FINDING_STATED, /* without a judgement, and no check */
	FINDING_CHANGES
};

struct finding_side {
	bool known, bounded;
	double value;
	double low, high; /* if bounded */
};

struct finding {
	char what[80];
	enum finding_unit unit;
	struct finding_side side[2]; /* before, after */
	enum finding_change change;
	double log10_p; /* log10 of how likely chance does this or more; NAN: it is not computed */
	char why[600];  /* it is not compared; else a remark on the change; "": none */
	uint64_t ns;    /* exposure; 0: none */
};

/* What a kind finds in a stage. */
struct findings {
	const char *stage;
	const char *what, *bounds; /* in the table's heads: "PER SECOND AND CORE", " (95 %)" */
	const char *side[3];       /* heads of the others; NULL: BEFORE, AFTER, CHANGE */
	char about[160];           /* completes "stage bare: "; "": nothing to compare */
	char note[600];            /* lines after the table, each with its newline */
	struct finding *at;
	size_t count;
};

/*
 * One more, so far not compared; its name as printf() makes it. The pointer is good until the next.
 */
struct finding *findings_add(struct findings *f, enum finding_unit unit, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

void findings_free(struct findings *f);

/* Is anything more or new? Less or gone? */
bool findings_more(const struct findings *f);
bool findings_less(const struct findings *f);

/* The table and the note. */
void findings_text(const struct findings *f);

/* An object for each, appended to the array. */
void findings_json(const struct findings *f, json_t *list);

/* A check for each: it fails if more or new, and is skipped if not compared. */
void findings_checks(const struct findings *f, struct checks *checks);
