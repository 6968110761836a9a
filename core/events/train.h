/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trains of events: given times and a period, follow the train slot by slot and
 * compute how likely chance alone would have filled as many slots.
 *
 * From each of the first events the next slot is expected one period on. The
 * event nearest to it, if within reach, is a hit and corrects position and
 * period (running least squares, as a g-h filter of growing memory); else the
 * slot is missed. What is expected depends on the past alone, so each slot is
 * hit by unrelated events with probability of at most 2 * reach * events / exposure,
 * and the binomial tail bounds the false alarm. Where all come at multiples of a grid,
 * 2 * reach is rounded up to as many of its points as can be within. Slots that fall between
 * windows (exposure.h) are neither hit nor missed.
 */
#pragma once

#include "core/gaps/exposure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When events came. */
struct event_series {
	uint64_t *t; /* starts, ns, rising; equal ones are allowed */
	size_t count;
	const struct exposure
		*watched; /* in which they could be seen, on their clock; NULL: ever */
};

/* Periods that can be followed, ns. */
#define TRAIN_PERIOD_MIN UINT64_C(10000)
#define TRAIN_PERIOD_MAX (UINT64_C(1) << 42) /* 73 minutes */

/* Events in one search; keeps sums in 64 bits and the work bounded. */
#define TRAIN_EVENTS_MAX (UINT64_C(1) << 17)

/* A train is at least so many hits ... */
#define TRAIN_HITS_MIN 6
/* ... and so large a share of its slots, parts per million. */
#define TRAIN_FILL_MIN 600000

/* How a train is followed. */
struct train_course {
	uint64_t start;  /* ns: the first slot */
	uint64_t period; /* ns, TRAIN_PERIOD_MIN ... TRAIN_PERIOD_MAX */
	uint64_t reach;  /* ns: how far from its slot an event may be */
	uint64_t grid; /* ns: unrelated events, too, come at multiples of it only; 0: at any time */
	bool rearmed;  /* each event starts the next period: lateness adds up */
};

struct train {
	struct train_course course;
	uint64_t hits, slots; /* slots that could be seen */
	uint64_t period;      /* ns, mean over the train */
	uint64_t jitter;      /* ns, root mean square of the distances from the slots */
	int64_t chance;       /* log10 in thousandths of the false-alarm probability */
};

/* What the search for the best course may have tried: it weighs the false alarm. */
struct train_choice {
	uint64_t period; /* ns: of this try */
	uint64_t spread; /* ns: width of the band of periods it was picked from */
	uint64_t others; /* how many such bands */
	uint64_t grid;   /* as in train_course */
	int64_t beat;    /* only a chance below this is of interest */
};

/*
 * Follow one course. False where it is no train: too few hits, or too few of its
 * slots hit. found->chance holds for this one course.
 */
bool train_follow(const struct event_series *s, const struct train_course *course,
		  struct train *found);

/*
 * The best train of about that period from one of the first events, over all
 * reaches, steady and rearmed. False where there is none below choice->beat.
 * found->chance takes all that was tried into account, and events that are in phase
 * with the windows instead of with the period: slots are as likely to be hit as
 * the same moments of other windows are.
 */
bool train_search(const struct event_series *s, const struct train_choice *choice,
		  struct train *found);

/*
 * The reach with the most evidence may leave the outermost hits outside; left
 * among the other events they would make up trains of several periods. Follow a
 * train that was found once more with a reach of four times its jitter, where
 * that is more. Its chance stays that of the search.
 */
void train_widen(const struct event_series *s, struct train *train);

/* Take the hits of a course out of the series. */
void train_remove(struct event_series *s, const struct train_course *course);

/* Hits per slot that could be seen, parts per million. */
uint32_t train_fill(const struct train *train);
