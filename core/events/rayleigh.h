/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Rayleigh test: are events in phase with a period? Each event is a unit
 * vector at its phase; of n unrelated ones the sum R is longer than r with
 * probability exp(-r^2/n). (Mardia and Jupp, Directional Statistics, 2000.)
 *
 * A train of one event per slot makes R about as long as it has events, however
 * many others there are; it finds steady trains in a background that hides them
 * from a search slot by slot. Over long times the period must be known closely:
 * it is tuned on short blocks first, then on longer ones.
 *
 * Events that are only seen in windows are in phase with any period that the
 * windows are in phase with. What is tested is what is left of the sum without
 * that: without the sum to be expected if each event had come at the same moment
 * of any window, as likely of one as of another.
 */
#pragma once

#include "event_series.h"

#include <stddef.h>
#include <stdint.h>

struct rayleigh {
	uint64_t period; /* ns, tuned */
	uint64_t start;  /* ns: the first slot at or after the first event */
	uint64_t length; /* of the sum, in events */
	uint64_t slots;  /* that could be seen */
	int64_t chance;  /* log10 in thousandths, of this one test */
};

/*
 * Test for a period within `slack` of `period`. At most TRAIN_EVENTS_MAX
 * events; the period TRAIN_PERIOD_MIN ... TRAIN_PERIOD_MAX.
 *
 * Events closer than 1/256 of the period count as one, so that a burst is not
 * taken for a train. Sums that are no train of events - longer or shorter than
 * its slots allow, or spread over the period - have chance 0, and so has a period
 * with which the windows are in phase.
 */
void rayleigh_test(const struct event_series *s, uint64_t period, uint64_t slack,
		   struct rayleigh *result);
