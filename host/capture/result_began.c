/* SPDX-License-Identifier: BSD-2-Clause */
/* The wall time of a begin record, and the time up to the last window. */
#define _GNU_SOURCE /* strptime, timegm, tm_gmtoff */
#include "result_began.h"

#include "core/lib/ticks.h"

#include <time.h>

uint64_t result_began_ns(const struct result *run)
{
	const char *text = run->has_begin ? run->begin.began : NULL;
	struct tm tm = { .tm_gmtoff = 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S%z", &tm) : NULL;
	long ahead = tm.tm_gmtoff;
	time_t s = end && !*end ? timegm(&tm) - ahead : 0;

	return s > 0 && s < INT64_MAX / (time_t)NS_PER_S ? (uint64_t)s * NS_PER_S : 0;
}

uint64_t result_length_ns(const struct result *run)
{
	uint64_t length = 0;

	for (size_t i = 0; i < run->stages; i++) {
		for (size_t n = 0; n < run->stage[i].windows; n++) {
			const struct result_window *w = &run->stage[i].window[n];
			uint64_t end = w->start_ns + w->len_ns;

			/* A sum that wraps is not a time. */
			if (end >= w->start_ns && end > length)
				length = end;
		}
	}
	return length;
}
