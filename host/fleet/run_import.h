/* SPDX-License-Identifier: BSD-2-Clause */
/* Imports a run's lines into a store that may have some of them, one run at a time. */
#pragma once

#include "runs.h"

#include "host/capture/line.h"

/* A temporary table of the connection, with the imported runs. */
#define RUN_IMPORT_TABLE "CREATE TEMP TABLE IF NOT EXISTS imported(id INTEGER PRIMARY KEY)"

struct run_import {
	struct runs runs;       /* its policy judges runs that have ended */
	const char *from;       /* the capture or folder that the next lines come from */
	uint64_t stored, again; /* lines of all runs; `again`: of which the store had one */
	uint64_t conflicts;     /* lines of `again` that differ from it */
	/* The run that is being imported: */
	struct store_run before, run;
	struct store_cursor there; /* its lines in the store */
	const char *at;            /* the next of these lines */
	size_t left, length;       /* bytes left of its chunk, and its own; 0: no line is left */
	uint64_t at_seq;           /* the number of that line */
	char *text;                /* new lines that are not stored yet */
	size_t bytes, room;
	uint64_t seq, lines; /* number of the first new line, and how many there are */
	uint64_t next;       /* one more than the number of the last line given */
	bool fills;          /* new lines fill gaps between stored ones */
	int error;
};

/*
 * Open the folder's store for this process alone, and create it if it is missing; the store's
 * policy judges. False, with the reason on standard error. Call run_import_close() in any case.
 */
bool run_import_open(struct run_import *i, const char *subcommand, const char *folder);
void run_import_close(struct run_import *i);

/*
 * Begin a run, or continue it if the store has it. Call it in a transaction. `as` has who sent the
 * run, and when; of a stored run, only later times are taken from it.
 */
void run_import_begin(struct run_import *i, const struct store_run *as);

/*
 * Import a line of the run, which ends with its newline. Lines may come in any order. One that
 * differs from the stored line of its number is a conflict: it is reported on standard error, and
 * the stored line stays.
 */
void run_import_line(struct run_import *i, const struct line *line, const char *text, size_t bytes);

/* End the run. Returns 0, or the errno of the first step that failed. */
int run_import_end(struct run_import *i);

/*
 * Store figures, and count the imported runs, after the last one. False, with the reason on
 * standard error.
 */
bool run_import_count(struct run_import *i, uint64_t *runs, uint64_t *incomplete);

/* The exit code once all is imported. */
int run_import_code(const struct run_import *i, uint64_t incomplete);

/* A run as its stored lines have it. */
struct run_derived {
	struct store_run run;
	uint64_t bad;            /* lines that are not the run's, or out of order */
	uint64_t damaged, first; /* damaged chunks, which are left out, and seq of the first */
};

int run_import_derive(struct store *s, const struct store_run *run, struct run_derived *d);
