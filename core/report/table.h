/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table at the end of a stage, with osnoise's columns, and the line above the longest events
 * that counts them by scope. The probe and `noisefloor show` print it from the same records.
 */
#pragma once

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/lib/lines.h"

#define TABLE_ALL   32
#define TABLE_FEW   8
#define TABLE_WORST 16

enum table_flag {
	TABLE_NO_SMI = 1, /* record_no_smi(): no columns for SMIs and NMIs */
	/*
	 * For a screen: no runtime, %AVAILABLE, causes and bounds, and already past TABLE_FEW cores
	 * the worst come first.
	 */
	TABLE_BRIEF = 2,
};

/*
 * Print the table of one stage: one row per core or, past TABLE_ALL cores, the TABLE_WORST worst,
 * worst first; a total row "all" for more than one core; and a line for each kind of event that
 * some core did not see, with the exposure and the 95 % upper bound of its rate, 3/exposure. `cpus`
 * is `count` records in core order. Worst means longest gap, then most noise, then lowest number.
 * `order` is scratch for `count` indexes. Without cores, nothing is printed.
 *
 *                                                             gaps by cause
 *   CPU  RUNTIME(us)  NOISE(us)  %AVAILABLE  MAX(us)  GAPS  SMI  NMI  smi  unknown
 *     0     59800000      312.4    99.99947    152.0     4    2    0    2        2
 *
 * RUNTIME is exposure; MAX of all cores is the longest gap of any. Names in lower case count gaps
 * by cause, for causes that occurred; they have a table of their own if this one would exceed
 * LINES_COLUMNS. DROPPED, the number of gaps that found the ring full, appears if there are any.
 */
void table_print(struct lines *out, const struct record_cpu *cpus, size_t count, unsigned flags,
		 uint32_t *order);

#define TABLE_EVENTS 10 /* events listed, the longest */

/* Printed if no source was found among enough events for one. */
#define TABLE_NO_SOURCE "no event recurs with a known period"

/*
 * Print "412 events: 400 on one cpu, 12 of the machine; the 10 longest:". `scope` is NULL if not
 * all events are known. `listed` events follow.
 */
void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, lines_put *line,
		  void *ctx);

/* ": 400 on one cpu, 12 of the machine" */
void table_event_scopes(struct text *out, const uint64_t scope[SCOPES]);
