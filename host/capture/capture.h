/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture read to its end, and the runs in it. */
#pragma once

#include "host/lib/input.h"
#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One sentence about a line of a file; 0: about the whole file. */
typedef void capture_complain(void *ctx, const char *file, uint64_t line, const char *text);

/* What the caller wants of a capture. */
struct capture_want {
	uint32_t keep;   /* of each run: see run.h; the end record is always kept */
	const char *run; /* only the run of this sid, 16 hex digits; NULL: all */
	/* Optional. A verified line that was not seen before, without a newline. */
	void (*line)(const char *line, size_t bytes);
	/* Of more than READER_RUNS_MAX runs the last ones are kept; else the others are refused. */
	bool forgets;
	/* Optional. Called for each record to be kept, before it is. */
	void (*record)(struct result *run, const struct reader_record *record);
	/* NULL: complaints go to standard error. */
	capture_complain *complain;
	void *ctx; /* of that */
};

struct capture {
	const char *name; /* its path, or "standard input" */
	struct capture_want want;
	struct reader *reader;
	uint64_t complaints;
	const char *error; /* why it was not read to its end; NULL: it was */
	struct input input;
	struct result *run[READER_RUNS_MAX];
	size_t runs;
};

/* Read `path`; "-" is standard input. Ends the program when memory has run out. */
void capture_open(struct capture *c, const char *path, const struct capture_want *want);

/* The same for bytes as they arrive. The name lives as long as the capture. */
void capture_begin(struct capture *c, const char *name, const struct capture_want *want);
void capture_feed(struct capture *c, const char *bytes, size_t count);
void capture_end(struct capture *c);

/* Print on standard error `what` about its runs, and the sids of all. Returns false. */
#define CAPTURE_NO_RUN "has no run with that sid; it has"
bool capture_list_runs(const struct capture *c, const char *what);

/*
 * A capture of the one run that a code on the probe's screen is of, as a phone or zbarimg(1) reads
 * it: its `summary`, and an `end` with the same verdict. "-" reads the text from standard input.
 * White space around it and zbarimg's "QR-Code:" are skipped. False, with the reason on standard
 * error, where it is damaged; otherwise capture_close() is due.
 */
bool capture_open_code(struct capture *c, const char *text, const struct capture_want *want);

/* Frees its runs, too. */
void capture_close(struct capture *c);

/* Can all of these be read? Only one may be standard input; otherwise reports it. */
bool capture_check(const char *subcommand, int count, const char *const *paths);

/*
 * The capture's exit code: the worst of its runs, 2 where there is none or not all
 * could be read. Reports why; the runs' own flaws too with `flaws`.
 */
int capture_judge(const struct capture *c, bool flaws);

/* "file:7: text", where progress does not get in its way; a capture_complain. */
void capture_print(void *ctx, const char *file, uint64_t line, const char *text);

struct capture_select {
	struct capture capture;
	const struct result *run;
};

/*
 * The run `sid` (16 hex digits) of the file; NULL: the only one it has. False, with
 * the reason on standard error, where there is none. capture_close() in any case.
 */
bool capture_select(struct capture_select *s, const char *path, const char *sid);

/*
 * The stage of that name; NULL: the last that was measured, what an OS inherits. NULL,
 * with the reason on standard error, where it was not measured.
 */
struct result_stage *capture_select_stage(const struct capture_select *s, const char *name);

/* 3 where the run's records are not proved complete, with the reasons on standard error. */
int capture_select_code(const struct capture_select *s);
