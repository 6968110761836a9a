/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: the noise of a node, and how much it slows a parallel job down. */
#pragma once

#include "host/capture/result.h"

#include "core/gaps/hist.h"
#include "core/lib/text.h"

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
	double at, rate;
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

/* ---- The noise of a node: how many events of which length, in what time ---- */

struct predict_noise {
	bool merged;          /* gaps that overlap are one event; else no two are assumed to */
	unsigned domains;     /* noise domains of a node: 1, or its cores unless merged */
	double exposure_ns;   /* sum of all domains */
	double events;        /* sum of all domains */
	double longest_ns;    /* 0: none seen */
	double unseen_ns;     /* the length of the event that may have been missed */
	double unseen_hz;     /* the 95 % upper limit of its rate: 3/exposure */
	struct spread spread; /* the merged events */
	struct dispersion bursts;
	/* Number and lengths of the events by bucket, which becomes a point at its mean. */
	double number[HIST_BUCKETS], length[HIST_BUCKETS];
	/* For predict_slowdown(): as seen, and with every rate at its 95 % upper limit. */
	size_t seen_count; /* `bound` has one more */
	struct predict_point seen[HIST_BUCKETS], bound[HIST_BUCKETS + 1];
};

/*
 * Read the noise of a stage, and sort its gaps. `unseen_ns` 0: the event that may have been missed
 * is as long as the longest seen, and no shorter than the threshold. False, with the reason added
 * to *why: nothing can be predicted.
 */
bool predict_noise_read(struct predict_noise *n, const struct result *run,
			struct result_stage *stage, uint64_t unseen_ns, struct text *why);
