/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of `noisefloor diff`, before it is printed. */
#ifndef HOST_DIFF_COMPARED_H
#define HOST_DIFF_COMPARED_H

#include "diff_fields.h"
#include "diff_rates.h"
#include "host/capture/run_sources.h"
#include "host/capture/run_select.h"

#include <stdbool.h>
#include <stddef.h>

#define UNLIKE_MAX   8
#define UNLIKE_BYTES 512

/* What happened to a source. */
enum source_change {
	SOURCE_KEPT,
	SOURCE_GONE,
	SOURCE_NEW,
	SOURCE_UNSURE, /* the other run could not have shown it */
};

/* "kept" "gone" "new" "unsure" */
const char *source_change_name(enum source_change change);

struct changed_source {
	struct record_source source; /* as before; new ones as after */
	enum source_change change;
	const char *why; /* if unsure, in a few words; else NULL */
};

struct compared_stage {
	const char *name;
	struct diff_rates rates;
	bool has_rates;
	struct run_sources before, after;
	struct changed_source *source;
	size_t sources;
};

enum outcome {
	OUTCOME_SAME,   /* nothing significant */
	OUTCOME_BETTER, /* something is less or gone, and nothing is more or new */
	OUTCOME_WORSE,  /* something is more, or new */
};

/* "same" "better" "worse" */
const char *outcome_name(enum outcome outcome);

struct compared {
	struct run_select before, after;
	/* Why the runs cannot be compared, a sentence each. */
	char unlike[UNLIKE_MAX][UNLIKE_BYTES];
	size_t unlikes;
	bool refused; /* for these, or for want of a common stage */
	struct differences differences;
	struct compared_stage stage[RUN_STAGES_MAX];
	size_t stages; /* that both have */
	enum outcome outcome;
};

/* What prevents a comparison of before and after; `stage` NULL: of all stages. Sets c->stages. */
void compared_check(struct compared *c, const char *stage);

/* Compare the stages that both have. */
void compared_read(struct compared *c);
void compared_free(struct compared *c);

#endif
