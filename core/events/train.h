/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trains of events: follow a train through a series of events, and compute the probability that
 * unrelated events would have hit as many of its slots. The words:
 *
 *   train    events with one period; some may be missing.
 *   course   how a train is followed: first slot, period, reach, grid, steady or rearmed.
 *   slot     the time at which the next event is due, one period after the one before. It is
 *            a hit if there is an event within reach, else it is missed. A slot between
 *            windows (exposure.h) is not visible: neither hit nor missed.
 *   reach    the largest distance between a slot and its event, in both directions.
 *   steady   a train that keeps its phase.
 *   rearmed  a train whose next period begins at the last event, as with a timer that is set
 *            anew each time: delays add up.
 *   twin     of a hit: an event of another window, at the same moment after the window's
 *            start. Twins show that events are in phase with the windows.
 *
 * A hit corrects position and period (running least squares, as a g-h filter of growing memory). As
 * a slot depends on the past alone, the probability that unrelated events hit it is at most
 *
 *   2 * reach * events / exposure
 *
 * and the binomial tail bounds the probability of a false alarm. If all events are on a grid, 2 *
 * reach is rounded up to the largest number of grid points that it can include.
 */
#pragma once

#include "core/gaps/exposure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The times of events. */
struct event_series {
	uint64_t *t; /* starts, ns below 2^63, rising; equal ones are allowed */
	size_t count;
	const struct exposure
		*watched; /* time in which events are visible, on their clock; NULL: ever */
};

/* Periods that can be followed, ns. */
#define TRAIN_PERIOD_MIN UINT64_C(10000)
#define TRAIN_PERIOD_MAX (UINT64_C(1) << 42) /* 73 minutes */

/* Events in one search; keeps sums in 64 bits and the work bounded. */
#define TRAIN_EVENTS_MAX (UINT64_C(1) << 17)

/* A train has at least this many hits ... */
#define TRAIN_HITS_MIN 6
/* ... and hits at least this share of its visible slots, parts per million. */
#define TRAIN_FILL_MIN 600000

/* The course of a train: how it is followed. */
struct train_course {
	uint64_t start;  /* ns: the first slot */
	uint64_t period; /* ns, TRAIN_PERIOD_MIN ... TRAIN_PERIOD_MAX */
	uint64_t reach;  /* ns: largest distance of an event from its slot */
	uint64_t grid;   /* ns: all events, also unrelated ones, are at its multiples; 0: no grid */
	bool rearmed;    /* each event starts the next period, so delays add up; false: steady */
};

struct train {
	struct train_course course;
	uint64_t hits, slots; /* visible slots */
	uint64_t period;      /* ns, mean over the train */
	uint64_t jitter;      /* ns, root mean square of the distances from the slots */
	int64_t chance;       /* log10 in thousandths of the false-alarm probability */
};

/* Ranges that the search for the best course may have tried: they weigh the false alarm. */
struct train_choice {
	uint64_t period; /* ns: to look for */
	uint64_t spread; /* ns: width of the band from which `period` was chosen */
	uint64_t others; /* number of such bands that are searched */
	uint64_t grid;   /* the one of train_course */
	int64_t beat;    /* only trains with a lower chance are of interest */
};

/*
 * Follow one course. Returns false if it is no train: too few hits, or too small a share of slots
 * hit. found->chance is for this course alone.
 */
bool train_follow(const struct event_series *s, const struct train_course *course,
		  struct train *found);

/*
 * Find the best train with about the period of `choice`, starting at one of the first events, for
 * each reach, steady and rearmed. Returns false if none has a chance below choice->beat.
 * found->chance allows for the number of tries, and for twins: it is at least the chance of a train
 * whose slots are hit as often as twins are found.
 */
bool train_search(const struct event_series *s, const struct train_choice *choice,
		  struct train *found);

/*
 * Follow a train once more with a reach of four times its jitter, if that is longer. The reach with
 * the most evidence may exclude the outermost hits; left in the series, they would make up trains
 * of several periods. The chance remains that of the search.
 */
void train_widen(const struct event_series *s, struct train *train);

/* Remove the hits of a course from the series. */
void train_remove(struct event_series *s, const struct train_course *course);

/* Hits per visible slot, parts per million. */
uint32_t train_fill(const struct train *train);
