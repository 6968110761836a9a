/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs of one or several stores, as one: a run that moved from one collector to another has a
 * part in each, and its lines are those of all.
 *
 * Runs are in the order in which they were begun. Those of several stores are ordered by the time
 * when a collector got their first line, without changing the order within any store.
 */
#pragma once

#include "policy.h"
#include "store/store.h"

struct runs_store {
	const char *path; /* of the folder */
	struct store *store;
};

struct runs_part {
	size_t in; /* of the stores */
	uint64_t sid, id;
	uint64_t when; /* begun_s, but never before that of a run with a lower id */
};

struct runs_one {
	struct store_run run;
	size_t part, parts; /* its first part, and how many; one store each */
	uint64_t rank;
};

struct runs {
	const char *subcommand; /* for messages */
	struct policy *policy;  /* what judges; NULL: each run as it is stored */
	struct runs_store *store;
	size_t stores;
	struct runs_part *part;
	struct runs_one *one; /* by sid */
	size_t parts, count;
	uint64_t damaged; /* chunks that were left out; each run's are reported once */
};

#define RUNS_POLICY_HELP "judge by the policy in this file, instead of the collector's"

/*
 * Open the folders' stores. False, with the reason on standard error; runs_close() in any case. The
 * policy in the file `policy` judges; NULL: with several stores the first one's that has one does.
 */
#define RUNS_STORED_POLICY "" /* that of the first store that has one, or of the only one */
bool runs_open(struct runs *r, const char *subcommand, size_t count, const char *const *paths,
	       const char *policy);
void runs_close(struct runs *r);

/*
 * Read the runs that meet `where`, as store_each(), and those parts of them that other stores have.
 * False, with the reason on standard error.
 */
bool runs_read(struct runs *r, const char *where, const char *text);

struct runs_sink {
	/* A line of the run with its newline, in order of seq. */
	void (*line)(void *ctx, const struct line *line, const char *text, size_t bytes);
	/* Optional: two stores have different lines of this number; the first one's is taken. */
	void (*conflict)(void *ctx, const char *path, const char *other, uint64_t seq);
	void *ctx;
	uint64_t again; /* lines that a further store has, too */
};

/* False, with the reason on standard error. */
bool runs_lines(struct runs *r, const struct runs_one *one, struct runs_sink *sink);

/* Print "SUBCOMMAND: PATH/runs.sqlite: why" on standard error. Returns false. */
bool runs_fail(const struct runs *r, size_t store, int error);
