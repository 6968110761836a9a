/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of `noisefloor diff`, and the forms in which it is printed. */
#pragma once

#include "host/capture/capture.h"
#include "host/findings/finding.h"
#include "host/program/options.h"

#include <stdbool.h>
#include <stddef.h>

/* A stage of two runs, before and after. */
struct diff_sides {
	const struct capture_select *selected[2];
	struct result_stage *stage[2];
	const char *name; /* the stage's name */
	/* --spread: standard deviation of the logarithms of equal runs' rates; 0: not given. */
	double spread;
};

enum diff_outcome {
	OUTCOME_SAME,   /* nothing significant */
	OUTCOME_BETTER, /* something is less or gone, and nothing is more or new */
	OUTCOME_WORSE,  /* something is more, or new */
};

/* Differences between the subjects of two runs: machine, settings, configuration. */
struct diff_fields {
	struct diff_field {
		char *name; /* "machine.bios_version", "config.threshold", "stage handoff.sci_en" */
		char *before, *after; /* "n/a" where absent */
	} * at;
	size_t count;
};

struct diff_compared {
	struct capture_select before, after;
	char **unlike; /* why the runs cannot be compared: "mode: gaps before, survey after" */
	size_t unlikes;
	double spread; /* between equal runs: diff_sides.spread */
	bool refused;  /* `unlike` is not empty, or there is no common stage */
	struct diff_fields differences;
	const char *stage[RESULT_STAGES_MAX]; /* stages that both runs have */
	size_t stages;
	struct findings *found; /* for each stage, one table per kind */
	size_t count;
	enum diff_outcome outcome;
};

/* List the differences that prevent a comparison; `stage` NULL: of all stages. Sets c->stages. */
void diff_compared_check(struct diff_compared *c, const char *stage);

/* Compare the stages that both have. */
void diff_compared_read(struct diff_compared *c);
void diff_compared_free(struct diff_compared *c);

/* Print it to standard output. */
void diff_text(const struct diff_compared *c);
void diff_json(const struct diff_compared *c);
void diff_junit(const struct diff_compared *c);
