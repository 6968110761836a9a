/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a stage, from the cores' rings to records. Memory is the
 * caller's; what is needed at one time only is taken from the same place.
 *
 * Only gaps of one cause are merged: an SMI on one core is no evidence of what
 * held up another at the same moment, and would get the wrong scope from it.
 */
#pragma once

#include "core/events/event.h"
#include "core/gaps/gaplist.h"
#include "core/gaps/platform.h"
#include "core/records/record.h"

#include <stdint.h>

struct stage_events {
	const struct platform *platform;
	const char *stage;
	uint64_t threshold; /* ticks; clocks that are further off than this are not made up for */
	/* Scratch, used up by each of the functions below. */
	struct gaplist_head *heads; /* one per core */
	struct event_cpu *cpus;     /* one per core */
	struct event_slot *slots;   /* `capacity` of them */
	uint32_t capacity;
};

struct stage_totals {
	uint64_t events;
	uint64_t scope[SCOPES];
};

/* Has any core gaps of that cause? */
bool stage_events_any(const struct stage_events *s, enum cause cause);

/* Gaps that come closer than this are one event, ticks. */
uint64_t stage_events_slack(const struct stage_events *s);

/*
 * Merge the gaps of one cause that start at `from` or later into events. The sink gets each.
 * Times are ticks of the boot core's TSC. Returns how many.
 */
uint64_t stage_events_merge(const struct stage_events *s, enum cause cause, uint64_t from,
			    event_sink *sink, void *ctx);

/* Count the events of every cause; then the `limit` longest, in time order, go to the sink. */
void stage_events_count(const struct stage_events *s, struct stage_totals *totals, uint32_t limit,
			event_sink *sink, void *ctx);

/* An event as a record, without its list of cores; `of` as in the record. */
void stage_events_record(const struct stage_events *s, const struct event *e, uint64_t of,
			 struct record_event *record);

/*
 * Send the `limit` longest of `of` events, at most `capacity`, in time order on the
 * link; UINT64_MAX: all, cause by cause. Returns how many were left out.
 */
uint64_t stage_events_send(const struct stage_events *s, struct record_link *link, uint64_t limit,
			   uint64_t of);
