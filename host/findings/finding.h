/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finding is what a comparison finds of one quantity: its value on both sides (before and after,
 * or below an OS and inside it), and whether it changed. The subcommands add findings; this file
 * alone prints them, as text, as JSON and as checks for CI servers.
 */
#pragma once

#include "host/lib/range.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checks; /* host/forms/checks.h */

enum finding_unit {
	FINDING_RATE, /* per second and core */
	FINDING_PPM,  /* share of a core's time */
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
	/* Printed without a judgement, but each is a check: found, and not found. */
	FINDING_SHOWN,
	FINDING_MISSING,
	/* A limit. */
	FINDING_MET,
	FINDING_EXCEEDED,
	FINDING_UNDECIDED,
	FINDING_CHANGES
};

struct finding_side {
	bool known, bounded;
	double value;     /* in the finding's unit */
	double low, high; /* if bounded, in the same unit */
};

/* A table may have more than two sides: a column of ranges, and a member of them in JSON. */
struct finding_figure {
	const char *key;  /* JSON member; NULL: none */
	const char *head; /* heading of the column; NULL: none */
	uint64_t unit;    /* unit of a cell, 10^digits to a whole; 0: 1 */
	unsigned digits;
	bool optional; /* no column where no finding knows it */
};

#define FINDING_FIGURES 17

struct finding {
	char what[80];
	enum finding_unit unit;
	struct finding_side side[2]; /* before, after */
	enum finding_change change;
	double log10_p; /* log10 of the chance of a difference this large; NAN: not computed */
	char why[600];  /* why it is not compared, else a remark on the change; "": none */
	uint64_t ns;    /* exposure, ns; 0: none */
	struct range figure[FINDING_FIGURES]; /* one for each of the table's figures */
};

/* The findings of one kind of record in one stage: a table. */
struct findings {
	const char *stage;
	const char *what, *bounds; /* table heads: "PER SECOND AND CORE", and " (95 %)" of sides */
	const char *side[3];       /* the other heads; NULL: BEFORE, AFTER, CHANGE */
	const char *kind;          /* beginning of a check's name: "cpu "; NULL: nothing */
	const struct finding_figure *figure; /* instead of the sides; NULL: none */
	size_t figures;
	size_t worst;    /* figure by which the worst are chosen, if there are many findings */
	bool has_sum;    /* the last finding is the sum of the others */
	char about[160]; /* completes "stage bare: "; "": nothing to compare */
	char note[600];  /* lines after the table, each with its newline */
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

/* True if any finding is more or new; the other: if any is less or gone. */
bool findings_more(const struct findings *f);
bool findings_less(const struct findings *f);

/* Tables with figures: past FINDINGS_ALL findings, only the FINDINGS_WORST worst are listed. */
#define FINDINGS_ALL   32
#define FINDINGS_WORST 16

/* Print the table and the note. */
void findings_text(const struct findings *f);

/* The subject of a comparison and its change, without the numbers. */
json_t *finding_change_json(const struct finding *f);

/*
 * Append an object for each finding to the array; for a finding of a table with figures, the object
 * has a member for each figure.
 */
void findings_json(const struct findings *f, json_t *list);

/* Add a check for each finding: it fails if more or new, and is skipped if not compared. */
void findings_checks(const struct findings *f, struct checks *checks);
