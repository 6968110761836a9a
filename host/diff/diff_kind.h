/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kind of record adds to `noisefloor diff`: a part of each stage, which it reads and prints.
 * host_kind.diff; diff_compared.c and the forms go through all of them.
 */
#pragma once

#include "host/capture/capture.h"
#include "host/forms/checks.h"

#include "core/events/ratetest.h"
#include "core/lib/text.h"

#include <jansson.h>
#include <stdbool.h>

struct diff_kind;

/* The first member of what a kind has found. */
struct diff_part {
	const struct diff_kind *kind;
	bool more, less; /* something is significantly more, or new; less, or gone */
};

/* A stage of two runs: before, after. */
struct diff_sides {
	const struct capture_select *selected[2];
	struct result_stage *stage[2];
	const char *name; /* of the stage */
	/* Between equal runs: standard deviation of rates' logarithms, as stated; 0: not stated. */
	double spread;
};

struct diff_kind {
	/* NULL: neither has anything to compare. Ends the program when memory has run out. */
	struct diff_part *(*read)(const struct diff_sides *s);
	/* Of what it returned: free it. */
	void (*free)(struct diff_part *part);
	/* Lines of text. The first completes what is in *t, "stage bare: ", unless it is empty. */
	void (*text)(const struct diff_part *part, struct text *t);
	/* Add its rows for CI servers. */
	void (*checks)(const struct diff_part *part, struct checks *c, const char *stage);
	/* Add its members to the stage's JSON object. */
	void (*json)(const struct diff_part *part, json_t *stage);
};

/* Count a change. */
void diff_part_count(struct diff_part *part, enum ratetest_change change);

/* End the line with these words, if one has begun. */
void diff_part_head(struct text *t, const char *words);

/* The status of a change that would be worse if it were more. */
enum check_status diff_part_status(enum ratetest_change change);
