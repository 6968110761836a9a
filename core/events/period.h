/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: events that recur with a period. Here the dictionary test, which asks
 * for the periods of known timers and for round numbers; cheap enough for the
 * boot core after a stage. host/sources/blind.c looks for any period.
 */
#pragma once

#include "train.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources one search can report. */
#define PERIOD_SOURCES_MAX 16

/* Largest probability of a false alarm, exclusive: log10 in thousandths. */
#define PERIOD_CHANCE_MAX (-4000)

/* Periods that differ by less are the same, parts per million. */
#define PERIOD_SAME_PPM 10000

/* Facts about the events that are searched. */
struct period_context {
	enum cause cause;
	bool guest;                        /* a kernel runs underneath */
	const struct period_timer *timers; /* enabled in the chipset */
	size_t timer_count;
};

/*
 * Sources in the order in which they were found, the one with the most evidence first. Their stage
 * is the caller's to fill in.
 */
struct period_list {
	struct record_source source[PERIOD_SOURCES_MAX];
	size_t count;
	size_t searched; /* number of events that were searched: the first ones */
};

/*
 * Sort the events, which may be in any order, and leave those that can be searched: the first
 * TRAIN_EVENTS_MAX, below 2^63 ns.
 */
void period_order(struct event_series *events);

/*
 * Search for the periods of the dictionary, and of the timers; the sources are added to *found.
 * Events in a guest that are no SMIs may be caused by its host's scheduler, whose tick is looked
 * for first. The events are ordered; afterwards the series contains those that belong to no source.
 *
 * A train is also found if only every second, third ... 64th of its events has a known period; the
 * source then has the period of the train. Fewer than TRAIN_HITS_MIN events give no source.
 *
 * The work is proportional to the number of events for each period, and again for each source
 * found.
 */
void period_search(struct event_series *events, const struct period_context *of,
		   struct period_list *found);

/*
 * The grid of a kernel's ticks. Events that a scheduler causes begin at ticks, so the distance
 * between any two is a multiple of the tick. Many equal distances are then no evidence of a source,
 * because there are few distances to choose from (train_course.grid).
 *
 * Find the slowest common kernel tick on whose grid most events are, if a host may have caused
 * them. There is none, and its period is 0, if nearly all distances are the same: such events are a
 * train. The hits are events at a multiple of the tick from the one before, and the jitter is that
 * of these distances; slots and course are not set.
 */
struct train period_grid(const struct event_series *events, const struct period_context *of);

/*
 * Add a train to the sources, and name it by its period. The origin is the nearest enabled timer,
 * within 1 %, or within the tolerance that the chipset's manual gives for it. The hint is from the
 * dictionary, within 1 %. If the events are no SMIs, no hint names a timer that raises SMIs; in a
 * guest the hint may be a tick of the host, and the timers of the virtual chipset are no origin.
 *
 * Nothing is added if the list is full, or if it has a source with this period.
 */
void period_add(struct period_list *found, const struct train *train,
		const struct period_context *of);
