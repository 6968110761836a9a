/* SPDX-License-Identifier: BSD-2-Clause */
/* All that `noisefloor diff` has to say, before it is put into words. */
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

/* What became of a source. */
enum source_change {
	SOURCE_KEPT,
	SOURCE_GONE,
	SOURCE_NEW,
	SOURCE_UNSURE, /* the other run could not have shown it */
};

/* "kept" "gone" "new" "unsure" */
const char *source_change_name(enum source_change change);

struct changed_source {
	struct record_source source; /* as it was before; new ones as they are after */
	enum source_change change;
	const char *why; /* unsure, in a few words; else NULL */
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
	OUTCOME_SAME,   /* no more than chance explains */
	OUTCOME_BETTER, /* something is less or gone, and nothing is more or new */
	OUTCOME_WORSE,  /* something is more, or new */
};

/* "same" "better" "worse" */
const char *outcome_name(enum outcome outcome);

struct compared {
	struct run_select before, after;
	/* Why the runs are not alike, a sentence each. */
	char unlike[UNLIKE_MAX][UNLIKE_BYTES];
	size_t unlikes;
	bool refused; /* for these, or as they have no stage in common */
	struct differences differences;
	struct compared_stage stage[RUN_STAGES_MAX];
	size_t stages; /* that both have */
	enum outcome outcome;
};

/* What makes the runs in before and after unlike; `stage` NULL: all stages. Finds c->stages. */
void compared_check(struct compared *c, const char *stage);

/* Compare the stages that both have. */
void compared_read(struct compared *c);
void compared_free(struct compared *c);

#endif
