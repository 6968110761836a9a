/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for sources of any period in a report that has all gaps: cause by
 * cause, over events that are merged as the probe merges them.
 */
#pragma once

#include "run.h"

#include "core/events/period.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

struct search_result {
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
void search_stage(const struct run *run, struct run_stage *stage, struct search_result *search,
		  struct text *why);

/* The n-th source of all causes, as a record; false past the last. */
bool search_source(const struct search_result *search, const struct run_stage *stage, size_t n,
		   struct record_source *record);
