/* SPDX-License-Identifier: BSD-2-Clause */
/* The noise of one node, from a stage's records: how many events of which length, in what time. */
#pragma once

#include "host/capture/result.h"
#include "host/statistics/dispersion.h"
#include "slowdown.h"

#include "core/gaps/hist.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How gaps of the node's cores relate. */
enum profile_cores {
	PROFILE_AUTO,     /* merged where all gaps are in the report, else apart */
	PROFILE_MERGED,   /* gaps that overlap are one event, as their records show */
	PROFILE_APART,    /* no two coincide: each core is a domain of its own; an upper bound */
	PROFILE_TOGETHER, /* all cores stop together: a core's gaps are the node's; a lower bound */
};

/* "merged" "apart" "together"; "auto". */
const char *profile_cores_name(unsigned cores); /* NULL past the last */

struct profile {
	enum profile_cores cores; /* as chosen; never PROFILE_AUTO */
	uint32_t of;              /* cores */
	uint64_t gaps;            /* of all cores */
	unsigned domains;         /* of a node: 1, or its cores if apart */
	double exposure_ns;       /* of the domain; of all domains if apart */
	double longest_ns;        /* 0: none seen */
	struct dispersion bursts; /* in which its events come */
	/* By length, ns, in the buckets of core/gaps/hist.h. */
	double count[HIST_BUCKETS];
	double length[HIST_BUCKETS]; /* summed */
};

/* False if the records are insufficient; *why has what is missing. Sorts the stage's gaps. */
bool profile_read(struct profile *p, const struct result *run, struct result_stage *stage,
		  enum profile_cores cores, struct text *why);

/* Events seen, of all domains of the node; and the share of a domain's time that they take. */
double profile_events(const struct profile *p);
double profile_share(const struct profile *p);

/* The classes of slowdown(): at most this many. */
#define PROFILE_CLASSES (HIST_BUCKETS + 1)

size_t profile_classes(const struct profile *p, struct slowdown_noise class[PROFILE_CLASSES]);

/*
 * The same with every rate at its 95 % upper limit, in bursts as the windows show them, and with
 * an event of `unseen_ns` that occurs at a rate of 3/exposure: low enough to have been missed.
 */
size_t profile_bound(const struct profile *p, double unseen_ns,
		     struct slowdown_noise class[PROFILE_CLASSES]);

/* The 95 % upper limit of the rate of unseen events, per second: 3/exposure. */
double profile_unseen_hz(const struct profile *p);
