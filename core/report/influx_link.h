/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A link that turns a run's records into points (influx.h) as they come, each as its kind has it.
 * `stage` and `log` have no numbers to draw.
 *
 * Times. Gaps, events, windows and pauses have their own, counted from the run's begin: a
 * window's is its end, a pause's the latest it can have ended. All else has the time of the
 * last window's end so far; the begin, that of the begin. Where two points would
 * have all tags and the time in common, so that a database would keep one, the later
 * is set 1 ns further; what comes out of time order, behind those before it.
 *
 * Where nobody knows when the run began, points whose tags are theirs alone in the run have
 * no time, and get that at which they come. The others count from 1970: InfluxDB keeps them,
 * an engine that forgets what is old does not.
 */
#pragma once

#include "core/wire/points.h"
#include "core/records/record.h"

#include <stdint.h>

/* Cores whose numbers are equal modulo this share an entry. */
#define INFLUX_LINK_GAPS 256

struct influx_link {
	struct record_link link; /* for the report */
	struct points *points;
	uint64_t began_ns;  /* wall time of the run's begin, ns since 1970; 0: not known */
	uint64_t length_ns; /* to the last window's end */
	/* Earliest times that are free. Events come in time order cause by cause. */
	uint64_t gap_next[INFLUX_LINK_GAPS], event_next[CAUSES];
	uint64_t window_next, pause_next;
	unsigned sources; /* of the stage so far */
};

/* `sid` of the run; began_ns may be set until the begin record is sent. */
void influx_link_start(struct influx_link *l, uint64_t sid, struct points *points);

/* ---- For the kinds of records ---- */

/* A moment of the run in wall time, for a point whose tags are its own. */
uint64_t influx_link_any_time(const struct influx_link *l, uint64_t t_ns);

/* The same, where points differ by nothing but their time: at or after *next, and *next after it.
 */
uint64_t influx_link_own_time(const struct influx_link *l, uint64_t t_ns, uint64_t *next);

/* A record whose tags are its own, at the end of the last window so far. */
void influx_link_record(struct influx_link *l, struct text *line, enum record_type type,
			const void *record);

void influx_link_send(struct influx_link *l, const struct text *line);
