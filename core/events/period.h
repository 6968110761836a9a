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

enum period_status {
	PERIOD_OK,
	PERIOD_CUT,       /* only the first `searched` events were searched */
	PERIOD_BAD_TIMES, /* times decrease, or are 2^63 and more: nothing was searched */
};

/*
 * Sources in the order in which they were found, the one with the most evidence first. Their stage
 * and cause are the caller's to fill in.
 */
struct period_list {
	struct record_source source[PERIOD_SOURCES_MAX];
	size_t count;
	size_t searched; /* number of events that were searched */
};

/*
 * Search for the periods of the dictionary, and of `timers`. If `ticks` is set, the events may be
 * caused by a kernel's scheduler: its tick is looked for first. Only the first TRAIN_EVENTS_MAX
 * events are searched. Afterwards the series contains those searched events that belong to no
 * source; all, if nothing was searched.
 *
 * A train is also found if only every second, third ... 64th of its events has a known period; the
 * source then has the period of the train. Fewer than TRAIN_HITS_MIN events give no source.
 *
 * The work is proportional to the number of events for each period, and again for each source
 * found.
 */
enum period_status period_search(struct event_series *events, bool ticks,
				 const struct period_timer *timers, size_t timer_count,
				 struct period_list *found);

/*
 * Name a source by its period. The origin is the nearest enabled timer, within 1 %, or within the
 * tolerance that the chipset's manual gives for it. The hint is from the dictionary, within 1 %.
 */
void period_name(struct record_source *source, const struct period_timer *timers,
		 size_t timer_count);

/* True if a source with this period, ns, has been found, within PERIOD_SAME_PPM. */
bool period_is_known(const struct period_list *found, uint64_t period_ns);

/*
 * Add a train to the sources, and name it. Returns false if the list is full, or if it has a source
 * with this period.
 */
bool period_add(struct period_list *found, const struct train *train,
		const struct period_timer *timers, size_t timer_count);

/*
 * Name sources again whose events are not known to be SMIs: a timer that raises SMIs is then named
 * only if it is enabled in the chipset. guest: a kernel runs underneath. Its ticks may be the
 * source, and the timers of the virtual chipset are not.
 */
void period_name_without_smi(struct period_list *found, bool guest);
