/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many events of which scope a stage has, above the longest of them. Printed by the probe and
 * by `noisefloor show` alike.
 */
#pragma once

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/lib/lines.h"

#include <stdint.h>

#define TABLE_EVENTS 10 /* events listed, the longest */

/* Printed if there are enough events for a source, and none was found. */
#define TABLE_NO_SOURCE "no event recurs with a known period"

/*
 * Print "412 events: 400 on one cpu, 12 of the machine; the 10 longest:". `scope` is NULL
 * where not all events are known. `listed` of them follow.
 */
void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, lines_put *line,
		  void *ctx);

/* ": 400 on one cpu, 12 of the machine" */
void table_event_scopes(struct text *out, const uint64_t scope[SCOPES]);
