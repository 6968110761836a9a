/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: what the modes' predictions share, and how much noise slows a job down. */
#pragma once

#include "host/capture/capture.h"
#include "host/program/options.h"

#include "core/gaps/hist.h"
#include "core/lib/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- Slowdown ----
 *
 * How much noise slows down a bulk-synchronous job: in each step every domain computes for the
 * grain, and all wait for the slowest. A domain is what noise stops as a unit, a node or a core;
 * the noise of all domains has the same distribution and is independent. A job whose nodes wait
 * only for their neighbours is slowed down less.
 */

/* Events of one length, ns and above 0, and their rate in one domain, Hz. */
struct predict_point {
	double at, mass;
};

/* If noise takes more of a domain's time than this, nothing is predicted. */
#define SLOWDOWN_SHARE_MAX 0.9

/*
 * Up to this slowdown the formula is within 2 % of a simulation; above, it is too high, never too
 * low.
 */
#define SLOWDOWN_SURE 1.2

/* The share of a domain's time that its noise takes. */
double predict_noise_share(const struct predict_point *class, size_t count);

/*
 * Length of a step relative to `grain_ns` (above 0) on `domains` (at least 1). `class` is sorted,
 * the longest first. INFINITY where the share is over SLOWDOWN_SHARE_MAX. It is the least fixed
 * point of
 *
 *   S = g + M(N) + (share S - M(1))
 *   M(n) = sum over k of (d_k - d_(k+1)) (1 - exp(-n S L_k))
 *
 * L_k being the rate of events at least d_k long. M(N) is the longest event that hits any domain
 * within the step, and delays it. If a domain is hit often within a step, the other events delay
 * it, too: the term in brackets, negligible for rare events. A single domain gives 1 / (1 - share),
 * as it must. Tsafrir et al., ICS 2005, have M for one length and few nodes.
 */
double predict_slowdown(const struct predict_point *class, size_t count, double domains,
			double grain_ns);

/* ---- Lengths by bucket: what is within one becomes a point at its mean ---- */

struct predict_sums {
	double mass[HIST_BUCKETS], moment[HIST_BUCKETS]; /* buckets of core/gaps/hist.h */
};

/* `at` is not negative; what is 2^48 or more shares the last bucket. */
void predict_gather(struct predict_sums *s, double at, double mass);

/* The points of the sums, the longest first. Returns their number; the sums are then empty. */
size_t predict_points(struct predict_sums *s, struct predict_point point[HIST_BUCKETS]);

/* ---- The subcommand ---- */

struct predict_options {
	uint64_t nodes; /* nodes or ranks; 0: not given */
	uint64_t grain_ns;
	uint64_t unseen_ns; /* 0: the longest seen */
	const char *stage, *run;
	const char *kernel, *phase; /* NULL: not given */
	struct form_choice form;
};

#define PREDICT_ROWS    18 /* rows of the table, with one of --nodes */
#define PREDICT_COLUMNS 4

/* A mode's prediction, to be printed by predict.c. */
struct predict_result {
	const struct predict_options *options;
	const struct capture_select *selected; /* the runs, all of one mode */
	size_t runs;
	uint64_t nodes[PREDICT_ROWS]; /* in rising order */
	size_t rows;

	/* The members that the mode sets: */
	const char *schema;
	const char *of; /* unit of the prediction: "nodes", "ranks" */
	const struct predict_column {
		const char *name; /* in JSON */
		const char *head; /* in text */
	} * column;
	size_t columns;
	double factor[PREDICT_COLUMNS][PREDICT_ROWS]; /* INFINITY: unbounded */
	json_t *document;                             /* all but runs, grain and curve */
	struct text about;                            /* lines above it: predict_line() */
	char about_text[2048];
	const char *note; /* below the table; NULL: none */
};

/* Add a line, without terminal control characters, to p->about; empties `line`. */
void predict_line(struct predict_result *p, struct text *line);

/* The modes' predictions: `predict` of struct host_mode. */
bool predict_gaps(struct predict_result *p);
bool predict_stretch(struct predict_result *p);
