/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picks records out of a raw capture: a serial line's bytes with terminal escapes, firmware chatter
 * and torn lines between them, or a clean file of records. Works on a stream, in bounded memory,
 * and reports what is damaged, lost or duplicated.
 */
#pragma once

#include "line.h"
#include "record_decode.h"

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line longer than this holds no record that can be read. */
#define READER_LINE_MAX 65536
/* Runs distinguished in one capture at a time: see capture_want.forgets. */
#define READER_RUNS_MAX 256
/* Complaints reported of one capture; the rest are counted. */
#define READER_COMPLAINTS_MAX 20
/* Most lines of one record: a `begin` may have a field, or a kind of evidence, in each. */
#define READER_PARTS_MAX       1024
#define READER_BEGIN_PARTS_MAX 64

/* ---- Which line numbers of a link have been seen: ranges, so that a long run costs little ---- */

/* Ranges kept; each hole in the lines makes one more. */
#define SEQSET_RANGES_MAX 65536

struct seqset_range {
	uint64_t first, last; /* both inclusive */
};

struct seqset {
	struct seqset_range *range; /* in rising order, never adjacent */
	size_t count;
	uint64_t members;
};

/* Free the set. All zero is an empty one. */
void seqset_free(struct seqset *s);

enum seqset_added { SEQSET_NEW, SEQSET_KNOWN, SEQSET_FULL };

/* SEQSET_FULL: more than SEQSET_RANGES_MAX ranges would be needed, or memory has run out. */
enum seqset_added seqset_add(struct seqset *s, uint64_t seq);

/* Number of missing members between 0 and the highest member. */
uint64_t seqset_missing(const struct seqset *s);

/* The hole number `n` (from 0) in 0 ... highest member; false past the last. */
bool seqset_hole(const struct seqset *s, size_t n, struct seqset_range *hole);

/* ---- Runs, and their records ---- */

struct result; /* result.h: one run (sid) of one capture */

/* The record whose lines are being received. */
struct reader_joint {
	struct record_decode decode;
	bool is_open; /* more lines belong to it */
	enum record_type type;
	uint64_t parts;
	uint64_t first_seq, next_seq;
	uint64_t line;
	bool given_up; /* the line with next_seq belongs to a lost record */
};

/* Counts over the whole capture. */
struct reader_totals {
	uint64_t bytes;
	uint64_t lines;   /* verified lines, duplicates included */
	uint64_t damaged; /* complaints about records; not versions */
	uint64_t refused; /* records of another format version, and runs past READER_RUNS_MAX */
	uint64_t complaints;
};

/* One sentence about a line of a file; 0: about the whole file. */
typedef void capture_complain(void *ctx, const char *file, uint64_t line, const char *text);

/* "file:7: text" on standard error, where progress does not get in its way. */
void capture_print(void *ctx, const char *file, uint64_t line, const char *text);

/* A caller's selection from a capture. */
struct capture_want {
	/*
	 * Kept data of each run: see result.h. Of records that are not kept only checksum, seq and
	 * number are checked. `begin` and `end` are always kept.
	 */
	uint32_t keep;
	const char *run; /* only the run of this sid, 16 hex digits; NULL: all */
	/* Optional. A verified line that was not seen before, without a newline, and is JSON. */
	void (*line)(const char *line, size_t bytes);
	/* Beyond READER_RUNS_MAX runs: forget the oldest. False: refuse new ones. */
	bool forgets;
	/* The first READER_COMPLAINTS_MAX complaints. NULL: capture_print(). */
	capture_complain *complain;
	void *ctx; /* passed to that function */
};

struct reader;

/* Read the capture `name`, which lives as long as the reader, as *want does. */
struct reader *reader_new(const char *name, const struct capture_want *want);

/* The next bytes of the capture, split anywhere. */
void reader_feed(struct reader *r, const char *bytes, size_t count);

/* The capture has ended: what is still incomplete is damaged. */
void reader_finish(struct reader *r);

void reader_free(struct reader *r);

const struct reader_totals *reader_totals(const struct reader *r);

/* Run number `n` in order of appearance; NULL past the last. It lives as long as the reader. */
struct result *reader_run(struct reader *r, size_t n);
