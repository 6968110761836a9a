/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources of a stage: those of any period that a search finds here in a report that has all gaps,
 * cause by cause, over events that are merged as the probe merges them; and, with these, what the
 * probe found.
 */
#pragma once

#include "result.h"

#include "core/records/record.h"
#include "core/events/period.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result_sources_search {
	bool done;
	uint64_t gaps; /* searched, or available but not searched */
	/* Per cause. */
	struct period_list found[CAUSES];
	bool cut[CAUSES]; /* only the first of its events were searched */
};

/*
 * Search a stage; sorts its gaps and windows. Where that cannot be done, *why has what is missing.
 * Ends the program when memory has run out.
 */
void result_sources_search(const struct result *run, struct result_stage *stage,
			   struct result_sources_search *search, struct text *why);

/* The n-th source of all causes, as a record; false past the last. */
bool result_sources_found(const struct result_sources_search *search,
			  const struct result_stage *stage, size_t n, struct record_source *record);

struct result_source {
	struct record_source source; /* its strings live as long as the run */
	bool by_probe;               /* else by the search alone */
};

struct result_sources {
	struct result_source *at;
	size_t count;
	bool searched;     /* for any period */
	char why_not[200]; /* what a search lacks */
	uint64_t gaps;     /* searched */
	uint64_t span_ns;  /* from the first window to the last; 0 where that is not known */
};

/* Sorts the stage's gaps and windows. Ends the program when memory has run out. */
void result_sources_read(struct result_sources *f, const struct result *run,
			 struct result_stage *stage);
void result_sources_free(struct result_sources *f);

/* The same cause, and periods within 1 %, as the searches distinguish them. */
bool result_sources_same(const struct record_source *a, const struct record_source *b);

/* The source of `f` that is the same; NULL for none. */
const struct result_source *result_sources_in(const struct result_sources *f,
					      const struct record_source *source);

/*
 * ---- The blind search (blind.c) ----
 *
 * Any period from 10 us up to a sixth of the time watched, several trains at once, with missing
 * events, jitter and unrelated events between. What is left goes through the dictionary test
 * (core/events/period.h).
 */

/*
 * Search the events of a series, which may be in any order, ns below 2^63. At most
 * TRAIN_EVENTS_MAX events are searched, the first in time. ticks: as in period_search(). Sources
 * within 1 % of each other are reported once, with the evidence of the best.
 *
 * The method is that of de-interleaving radar pulses: Nishiguchi and Kobayashi,
 * IEEE Trans. AES 36(2), 2000, for the histogram of differences; trains are then
 * followed, and taken out one by one.
 */
enum period_status result_sources_blind(const struct event_series *s, bool ticks,
					const struct period_timer *timers, size_t timer_count,
					struct period_list *found);
