/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of a stage. A search finds sources of any period in a report that has all gaps, cause
 * by cause, over events that are merged as the probe merges them. Sources that the probe itself
 * found are added.
 */
#pragma once

#include "host/capture/result.h"

#include "core/events/period.h"
#include "core/events/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sources_row {
	struct record_source source; /* its strings live as long as the run */
	bool by_probe;               /* else by the search alone */
};

struct sources {
	struct sources_row *at;
	size_t count;
	bool searched;               /* for any period, in all gaps */
	char why_not[200];           /* reason why there is no search */
	struct record_source *found; /* by the search, the probe's included; by cause */
	size_t founds;
	bool cut[CAUSES]; /* only the first events[cause] of its events were searched */
	size_t events[CAUSES];
	uint64_t span_ns; /* from the first window to the last; 0 where that is not known */
};

/*
 * Read the stage's sources; sorts its gaps and windows. Ends the program when memory has run out.
 */
void sources_read(struct sources *f, const struct result *run, struct result_stage *stage);
void sources_free(struct sources *f);

/* The source of `f` that is the same as `source`; NULL for none. */
const struct sources_row *sources_in(const struct sources *f, const struct record_source *source);

/*
 * ---- The blind search (blind.c) ----
 *
 * Any period from 10 us up to a sixth of the time watched, several trains at once, with missing
 * events, jitter and unrelated events between. What is left goes through the dictionary test
 * (core/events/period.h).
 */

/*
 * Search the events of a series as period_search() does, but leave the series as it is. Sources
 * within 1 % of each other are reported once, with the evidence of the best.
 *
 * The method is that of de-interleaving radar pulses: Nishiguchi and Kobayashi,
 * IEEE Trans. AES 36(2), 2000, for the histogram of differences; trains are then
 * followed, and taken out one by one.
 */
void sources_blind(const struct event_series *s, const struct period_context *of,
		   struct period_list *found);
