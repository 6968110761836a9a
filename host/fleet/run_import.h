/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's lines, from wherever they come, into a store that may have some of them. One run at a
 * time.
 */
#pragma once

#include "policy.h"
#include "store/store.h"

#include "host/capture/line.h"

/* In the connection: the runs that were imported. */
#define RUN_IMPORT_TABLE "CREATE TEMP TABLE IF NOT EXISTS imported(id INTEGER PRIMARY KEY)"

struct run_import {
	const char *subcommand, *folder; /* for messages */
	struct store *store;
	struct policy *policy;  /* judges runs that end; NULL: none */
	uint64_t stored, again; /* lines of all runs; `again` are not new, or out of order */
	/* The run that is being imported: */
	struct store_run before, run;
	struct store_cursor there; /* what the store has of it, */
	const char *at;            /* and the line of that which comes next: its text, */
	size_t left, length;       /* bytes of its chunk from it on, and its own; 0: none is left */
	uint64_t at_seq;           /* and its number */
	char *text;                /* new lines that are not stored yet */
	size_t bytes, room;
	uint64_t seq, lines; /* of the first of them, and how many */
	uint64_t next;       /* after the latest line that was passed */
	bool fills;          /* gaps of what was stored before */
	int error;
};

/*
 * Hold the folder's store, which is created if missing; its policy judges. False, with the reason
 * on standard error; run_import_close() in any case.
 */
bool run_import_open(struct run_import *i, const char *subcommand, const char *folder);
void run_import_close(struct run_import *i);

/* Print "SUBCOMMAND: FOLDER/runs.sqlite: why" on standard error. Returns false. */
bool run_import_fail(const struct run_import *i, int error);

/*
 * Begin with a run, or go on with what the store has of it. In a transaction. `as`: who sent it,
 * and when; of a run that the store has, only later times are taken.
 */
void run_import_begin(struct run_import *i, const struct store_run *as);

/* The next line with its newline. False: the store has another of this number, which stays. */
bool run_import_line(struct run_import *i, const struct line *line, const char *text, size_t bytes);

/* 0 or an errno, of any step. */
int run_import_end(struct run_import *i);

/* After the last: store figures, and count the runs. False, with the reason on standard error. */
bool run_import_count(struct run_import *i, uint64_t *runs, uint64_t *incomplete);

/* What a run's stored lines make of it. */
struct run_derived {
	struct store_run run;
	uint64_t bad;            /* lines that are none of the run's, or out of order */
	uint64_t damaged, first; /* chunks that were left out, and seq of the first of these */
};

int run_import_derive(struct store *s, const struct store_run *run, struct run_derived *d);
