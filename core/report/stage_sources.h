/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of a stage: the dictionary test (period.h) over its events. Each
 * cause is searched by itself, over the events that the gaps of that cause alone
 * make up: the host's noise then neither hides SMIs nor swallows them.
 */
#pragma once

#include "core/gaps/exposure.h"
#include "core/events/period.h"
#include "stage_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stage_sources {
	const struct stage_events *events;
	struct exposure *watched; /* the windows of the stage, ns since the begin; shortened */
	bool windows_missing;     /* there were more than it has room for */
	const struct period_timer *timers; /* enabled in the chipset */
	size_t timer_count;
	uint64_t *times; /* scratch, `capacity` of them; may be where the events' slots are */
	size_t capacity;
};

/* What a search was like. */
struct stage_search {
	uint64_t events;   /* there were */
	uint64_t searched; /* of them, the first ones */
	enum period_status status;
};

/* Prepare: what was sampled after a ring was full is left out. Once per stage. */
void stage_sources_begin(struct stage_sources *s);

/* Search the events of one cause. */
void stage_sources_find(const struct stage_sources *s, enum cause cause,
			struct stage_search *search, struct period_list *found);

void stage_sources_record(const struct stage_sources *s, enum cause cause,
			  const struct period_source *source, struct record_source *record);
