/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: events that recur with a period. Here the dictionary test, which asks
 * for the periods of known timers and for round numbers; cheap enough for the
 * boot core after a stage. host/sources/blind.c looks for any period.
 */
#pragma once

#include "train.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources one search can report. */
#define PERIOD_SOURCES_MAX 16

/* A false alarm must be less likely than this: log10 in thousandths. */
#define PERIOD_CHANCE_MAX (-4000)

/* Periods this close are the same, parts per million. */
#define PERIOD_SAME_PPM 10000

struct period_source {
	uint64_t period_ns;
	uint64_t jitter_ns;   /* root mean square of the events' distances from the train */
	uint32_t fill_ppm;    /* of the train's slots that could be seen, how many have an event */
	uint64_t events;      /* so many */
	int64_t chance_milli; /* log10 of the false-alarm probability, in thousandths */
	const char *origin;   /* name of the enabled timer it is likely to be, or NULL */
	const char *hint;     /* what else has this period, a phrase, or NULL */
};

enum period_status {
	PERIOD_OK,
	PERIOD_CUT,       /* only the first `searched` events were searched */
	PERIOD_BAD_TIMES, /* times that do not rise or are 2^63 and more: nothing was searched */
};

/* Sources in the order in which they were found: the one with the most evidence is first. */
struct period_list {
	struct period_source source[PERIOD_SOURCES_MAX];
	size_t count;
	size_t searched; /* events looked at */
};

/*
 * The dictionary test, for the dictionary and for the timers given. ticks: the events may be of a
 * kernel's scheduler, whose ticks (tick_grid.h) are looked for first. At most TRAIN_EVENTS_MAX
 * events are searched, the first ones. The series is used up: left in it are the searched events
 * that belong to no source; all, where nothing was searched.
 *
 * A train whose every second ... 64th event has a known period is found as well,
 * with its own period. Fewer than TRAIN_HITS_MIN events give no source.
 *
 * Work: in proportion to the events for each period asked for, once more for each
 * source found.
 */
enum period_status period_search(struct event_series *events, bool ticks,
				 const struct period_timer *timers, size_t timer_count,
				 struct period_list *found);

/*
 * Name a source by its period. The origin is the enabled timer nearest to it,
 * within 1 % or what the chipset's manual allows that timer; the hint is the
 * dictionary's, within 1 %.
 */
void period_name(struct period_source *source, const struct period_timer *timers,
		 size_t timer_count);

/* Whether a source of that period, ns, within PERIOD_SAME_PPM, has been found. */
bool period_is_known(const struct period_list *found, uint64_t period_ns);

/*
 * Add a train to the sources found, named. False for one that is not added: its
 * period is known already, or the list is full.
 */
bool period_add(struct period_list *found, const struct train *train,
		const struct period_timer *timers, size_t timer_count);

/*
 * Name sources anew, of events that are not known to be SMIs: by no timer that raises them,
 * unless it is enabled in the chipset. guest: there is a kernel underneath, whose ticks they may
 * be, and the chipset is not the machine's.
 */
void period_name_without_smi(struct period_list *found, bool guest);
