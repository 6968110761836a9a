/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as points in InfluxDB's line protocol: measurement,tags fields time.
 *
 * Strings are tags, since VictoriaMetrics keeps no others; an absent one is left out, and so is a
 * number that is not known. Blanks, commas and equals signs in tags are escaped; a backslash, which
 * at the end would escape what follows, becomes a slash, and a control character a question mark.
 * Integers are at most 2^63 - 1. Every point has the tag `run`, the sid in 16 hex digits.
 *
 * A database keeps one point of a measurement, tags and time: the later replaces the earlier. A
 * run has one info and one end; a stage has one cpu point per core, and one bucket per core and
 * below_ns. Gaps of a core and cause are distinguished by time alone.
 *
 * Each function prints one line, with its newline.
 */
#pragma once

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- A point ---- */

struct influx_point {
	FILE *to;
	char before; /* separator in front of the next field: a blank, then commas */
};

/* Its measurement and first tags; then more tags, fields and the time, in this order. */
struct influx_point influx_open(FILE *to, const char *measurement);
void influx_tag(struct influx_point *p, const char *name, const char *value);
void influx_tag_number(struct influx_point *p, const char *name, uint64_t value);
void influx_field(struct influx_point *p, const char *name, struct maybe m);
void influx_field_text(struct influx_point *p, const char *name, const char *number);
/* `ns`, here and below: since 1970; limited to 2^63 - 1. */
void influx_close(struct influx_point *p, uint64_t ns);

/* ---- Records, by the roles of their fields ---- */

/* A record as noisefloor_<its type>. */
void influx_record(FILE *to, uint64_t run, enum record_type type, const void *record, uint64_t ns);

/* A begin, as noisefloor_info. */
void influx_info(FILE *to, uint64_t run, const struct record_begin *begin, uint64_t ns);

/*
 * The core's n-th histogram bucket, n below histogram.count, merged with those after it that begin
 * below the same edge of 1, 2, 5, 10 ... us. Returns the number of the next.
 */
size_t influx_bucket(FILE *to, uint64_t run, const struct record_cpu *cpu, size_t n, uint64_t ns);

struct influx_end {
	const struct record_end *record; /* NULL: the run is incomplete */
	uint64_t exit_code;              /* of the verdict */
	bool whole;                      /* the records prove that none is missing */
};

void influx_end(FILE *to, uint64_t run, const struct influx_end *end, uint64_t ns);
