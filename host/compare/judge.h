/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits held against what an OS saw, and against the floor beside it: does the OS have to be
 * tuned, or is it the machine? Of the cores that the OS measured.
 */
#pragma once

#include "split.h"

#include "core/config/preset.h"
#include "core/lib/text.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

enum judge_figure {
	JUDGE_MAX,   /* longest gap, ns */
	JUDGE_NOISE, /* of a core, ppm of its exposure, rounded up */
	JUDGE_FIGURES
};

/* The options of `compare`; 0: not given. */
struct judge_limits {
	uint64_t limit[JUDGE_FIGURES];
	const struct preset *preset; /* its limits where none is given; NULL: none */
};

struct judge_outcome {
	uint64_t limit;
	struct range machine, os; /* of the worst core */
	enum verdict verdict;     /* VERDICT_NONE: there is no limit */
	bool is_short;            /* met, but in less time than the preset requires */
};

/* "max" "max_noise", as the keys are named */
const char *judge_name(enum judge_figure figure);

/* Each figure's outcome. Returns their verdict: what failed, else what is not known. */
enum verdict judge(const struct judge_limits *limits, const struct split_result *split,
		   struct judge_outcome outcome[JUDGE_FIGURES]);

/* The verdict of several outputs. */
enum verdict judge_all(const struct judge_limits *limits, const struct split_result *split,
		       size_t count);

/*
 * "longest gap, limit 20.000 us exceeded: the machine allows 8.000 us, the OS uses 31-32 us: tune
 * the OS"
 */
void judge_sentence(struct text *t, enum judge_figure figure, const struct judge_outcome *o);
