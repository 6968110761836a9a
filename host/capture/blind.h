/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blind search for sources: any period from 10 us up to a sixth of the time watched, several
 * trains at once, with missing events, jitter and unrelated events between. What is left goes
 * through the dictionary test (core/events/period.h).
 */
#pragma once

#include "core/events/period.h"

#include <stddef.h>

/*
 * Search the events of a series, which may be in any order, ns below 2^63. At most
 * TRAIN_EVENTS_MAX events are searched, the first in time. ticks: as in period_search(). Sources
 * within 1 % of each other are reported once, with the evidence of the best.
 *
 * The method is that of de-interleaving radar pulses: Nishiguchi and Kobayashi,
 * IEEE Trans. AES 36(2), 2000, for the histogram of differences; trains are then
 * followed, and taken out one by one.
 */
enum period_status blind_search(const struct event_series *s, bool ticks,
				const struct period_timer *timers, size_t timer_count,
				struct period_list *found);
