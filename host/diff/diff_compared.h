/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of `noisefloor diff`, and the forms in which it is printed. */
#pragma once

#include "diff_fields.h"
#include "diff_rates.h"
#include "diff_stretch.h"
#include "host/capture/result_sources.h"
#include "host/capture/capture.h"
#include "host/lib/form.h"

#include <stdbool.h>
#include <stddef.h>

#define UNLIKE_MAX   8
#define UNLIKE_BYTES 512

/* What happened to a source. */
enum diff_source_change {
	SOURCE_KEPT,
	SOURCE_GONE,
	SOURCE_NEW,
	SOURCE_UNSURE, /* the other run could not have shown it */
};

/* "kept" "gone" "new" "unsure" */
const char *diff_source_change_name(enum diff_source_change change);

struct diff_changed_source {
	struct record_source source; /* as before; new ones as after */
	enum diff_source_change change;
	const char *why; /* if unsure, in a few words; else NULL */
};

struct diff_stage {
	const char *name;
	struct diff_rates rates;
	bool has_rates;
	struct diff_stretch stretch; /* of runs of mode=stretch */
	struct result_sources before, after;
	struct diff_changed_source *source;
	size_t sources;
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
	bool refused; /* for these, or for want of a common stage */
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

/* The probability that chance alone explains a change: "5.6e-09", "under 1e-15". */
#define DIFF_CHANCE_MAX 32
const char *diff_chance(const struct ladder_change *c, char p[DIFF_CHANCE_MAX]);
void diff_json(const struct diff_compared *c);
void diff_ci(const struct diff_compared *c);     /* FORM_JUNIT, FORM_TAP */
void diff_series(const struct diff_compared *c); /* FORM_INFLUX, FORM_PROM */
