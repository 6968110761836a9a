/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of `noisefloor diff`, and the forms in which it is printed. */
#pragma once

#include "diff_fields.h"
#include "diff_kind.h"

#include "host/capture/capture.h"
#include "host/program/form.h"

#include <stdbool.h>
#include <stddef.h>

#define UNLIKE_MAX   8
#define UNLIKE_BYTES 512

#define DIFF_PARTS RECORD_TYPES

struct diff_stage {
	struct diff_sides of;
	struct diff_part *part[DIFF_PARTS]; /* of each kind that has something to compare */
	size_t parts;
};

enum diff_outcome {
	OUTCOME_SAME,   /* nothing significant */
	OUTCOME_BETTER, /* something is less or gone, and nothing is more or new */
	OUTCOME_WORSE,  /* something is more, or new */
};

/* "same" "better" "worse" */
const char *diff_outcome_name(enum diff_outcome outcome);

struct diff_compared {
	enum form form; /* to be printed */
	struct capture_select before, after;
	/* Why the runs cannot be compared, a sentence each. */
	char unlike[UNLIKE_MAX][UNLIKE_BYTES];
	size_t unlikes;
	double spread; /* between equal runs: diff_sides.spread */
	bool refused;  /* for these, or for want of a common stage */
	struct diff_fields differences;
	struct diff_stage stage[RESULT_STAGES_MAX];
	size_t stages; /* that both have */
	enum diff_outcome outcome;
};

/* What prevents a comparison of before and after; `stage` NULL: of all stages. Sets c->stages. */
void diff_compared_check(struct diff_compared *c, const char *stage);

/* Compare the stages that both have. */
void diff_compared_read(struct diff_compared *c);
void diff_compared_free(struct diff_compared *c);

/* Print it to standard output. */
void diff_text(const struct diff_compared *c);

void diff_json(const struct diff_compared *c);
void diff_ci(const struct diff_compared *c); /* FORM_JUNIT, FORM_TAP */
