/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people read of a stage's events and sources, under the table of its cores.
 * Printed by the probe and by `noisefloor show` alike, line by line.
 */
#pragma once

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/lib/text.h"
#include "table_lines.h"

#include <stdint.h>

#define TABLE_EVENTS 10 /* events listed, the longest */

/* Printed if there are enough events for a source, and none was found. */
#define TABLE_NO_SOURCE "no event recurs with a known period"

/*
 * Print "412 events: 400 on one cpu, 12 of the machine; the 10 longest:". `scope` is NULL
 * where not all events are known. `listed` of them follow.
 */
void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, table_line *line,
		  void *ctx);

/* ": 400 on one cpu, 12 of the machine" */
void table_event_scopes(struct text *out, const uint64_t scope[SCOPES]);

/*
 *    TIME(s)  LENGTH(us)  CPUS  SCOPE    CAUSE    FIRST  LAST  SKEW(us)
 *   12.345678       152.0     4  machine  smi          0     3       1.2
 *
 * TIME is since the begin, SKEW between the first and the last core to enter. A
 * scope with a + may be wider: gaps are missing there.
 */
void table_event_head(struct text *out);
void table_event(struct text *out, const struct record_event *e);

/*
 *      PERIOD      JITTER   FILL(%)  EVENTS  CAUSE    CHANCE  LIKELY
 *   64.000 ms     12.3 us     98.50     920  smi      1e-250  SWSMI timer 64 ms
 *
 * FILL is the share of the period's slots that have an event, of those that could
 * be seen; CHANCE bounds how likely unrelated events would look like that. LIKELY
 * is the enabled timer it is, else what is known to have this period, else n/a.
 */
void table_source_head(struct text *out);
void table_source(struct text *out, const struct record_source *s);

/*
 * "hidden pause of 1.2 s to 2.4 s, between ...: rtc went on, the TSC ...", or
 * "the TSC ran ahead of rtc by 1.2 s to 2.4 s, between ...".
 */
void table_pause(struct text *t, const struct record_pause *pause);
