/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as points in InfluxDB's line protocol: measurement,tags fields time.
 *
 * Strings are tags, since VictoriaMetrics keeps no others; an absent one is left out, and so
 * is a number that is not known. Blanks, commas and equals signs in tags are escaped; a
 * backslash, which at the end would escape what follows, becomes a slash, and a control
 * character a question mark. Integers are at most 2^63 - 1. Every point has the tag `run`,
 * the sid in 16 hex digits.
 *
 * A database keeps one point of a measurement, tags and time: the later replaces the
 * earlier. Which times keep points apart is the caller's to see to: of a run there is one
 * info and one end; of a stage one cpu point per core, one bucket per core and low_ns, and
 * one source per number. Gaps, windows, events and pauses are told apart by time alone.
 *
 * Each function appends one line, with its newline. A line that does not fit is cut, with
 * out->overflow set, and must not be used.
 */
#ifndef CORE_INFLUX_H
#define CORE_INFLUX_H

#include "record.h"
#include "core/lib/text.h"

#include <stddef.h>
#include <stdint.h>

/* A point without a time: it gets that at which it comes to the database. */
#define INFLUX_NO_TIME UINT64_MAX

/* `ns`, here and below: since 1970; what is past 2^63 - 1 becomes that. */
void influx_info(struct text *out, uint64_t run, const struct record_begin *begin, uint64_t ns);

/* Sums of a core and stage. */
void influx_cpu(struct text *out, uint64_t run, const struct record_cpu *cpu, uint64_t ns);

/*
 * The core's n-th histogram bucket, n below histogram.count, together with those behind it
 * that begin at the same ns. Returns the number of the next.
 */
size_t influx_bucket(struct text *out, uint64_t run, const struct record_cpu *cpu, size_t n,
		     uint64_t ns);

/* Of the gap: stage, cpu, cause, len_ns. */
void influx_gap(struct text *out, uint64_t run, const struct record_gap *gap, uint64_t ns);

void influx_window(struct text *out, uint64_t run, const struct record_window *window, uint64_t ns);
void influx_event(struct text *out, uint64_t run, const struct record_event *event, uint64_t ns);
void influx_pause(struct text *out, uint64_t run, const struct record_pause *pause, uint64_t ns);

/* The n-th source of its stage. */
void influx_source(struct text *out, uint64_t run, const struct record_source *source, unsigned n,
		   uint64_t ns);

struct influx_end {
	const char *verdict;
	uint64_t exit_code; /* as the verdict has it */
	/* 1: the records prove that none is missing; a node cannot know. */
	struct maybe whole;
	struct maybe gaps_unsent, watched_ppm;
};

void influx_end(struct text *out, uint64_t run, const struct influx_end *end, uint64_t ns);

#endif
