/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture read to its end, and the runs in it. */
#pragma once

#include "host/lib/input.h"
#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture {
	const char *name; /* its path, or "standard input" */
	struct capture_want want;
	struct reader *reader;
	const char *error; /* why it was not read to its end; NULL: it was */
	struct input input;
	struct result *run[READER_RUNS_MAX];
	size_t runs;
};

/* Read `path`; "-" is standard input. Ends the program when memory has run out. */
void capture_open(struct capture *c, const char *path, const struct capture_want *want);

/* capture_open() for bytes as they arrive. The name lives as long as the capture. */
void capture_begin(struct capture *c, const char *name, const struct capture_want *want);
void capture_feed(struct capture *c, const char *bytes, size_t count);
void capture_end(struct capture *c);

/*
 * Print on standard error `what`, which is wrong with the capture's runs, and the sids of all.
 * Returns false.
 */
#define CAPTURE_NO_RUN "has no run with that sid; it has"
bool capture_list_runs(const struct capture *c, const char *what);

/*
 * Open the capture of one run in the text of a code on the probe's screen, as a phone or zbarimg(1)
 * reads it: its `summary`, and an `end` with the same verdict. "-" reads the text from standard
 * input. White space around it and zbarimg's "QR-Code:" are skipped. Returns false, with the reason
 * on standard error, if the text is damaged; otherwise capture_close() is due.
 */
bool capture_open_code(struct capture *c, const char *text, const struct capture_want *want);

/* Frees its runs, too. */
void capture_close(struct capture *c);

/* True if all of these can be read: only one may be standard input. If false, that is reported. */
bool capture_check(const char *subcommand, int count, const char *const *paths);

/*
 * Returns the capture's exit code: the worst of its runs; 2 if it has none or not all could be
 * read. Reports why; with `flaws`, the runs' own flaws, too.
 */
int capture_judge(const struct capture *c, bool flaws);

struct capture_select {
	struct capture capture;
	const struct result *run;
};

/*
 * Select the run `sid` (16 hex digits) of the file; NULL: the only one it has. Returns false, with
 * the reason on standard error, if there is none. capture_close() is due in any case.
 */
bool capture_select(struct capture_select *s, const char *path, const char *sid);

/*
 * Returns the stage of that name or, for NULL, the last that was measured, whose state an OS
 * inherits. Returns NULL, with the reason on standard error, if it was not measured.
 */
struct result_stage *capture_select_stage(const struct capture_select *s, const char *name);

/* Returns 3 if the run's records are not proved complete, with the reasons on standard error. */
int capture_select_code(const struct capture_select *s);
