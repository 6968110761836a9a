/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of a store: what follows from their lines, and how subcommands read them. */
#pragma once

#include "policy.h"
#include "store/store.h"

struct runs {
	const char *subcommand; /* for messages */
	const char *path;       /* path of the folder */
	struct store *store;
	uint64_t damaged; /* damaged chunks, left out; each run's are reported once */
};

/* Open the folder's store. False, with the reason on standard error. */
bool runs_open(struct runs *r, const char *subcommand, const char *path, enum store_use use);

/*
 * Call `take` with the run's lines, whole ones, several at a time. False, with the reason on
 * standard error.
 */
bool runs_lines(struct runs *r, const struct store_run *run,
		void (*take)(void *ctx, const char *text, size_t bytes), void *ctx);

/* Print "SUBCOMMAND: PATH/runs.sqlite: why" on standard error. Returns false. */
bool runs_fail(const struct runs *r, int error);

/* Facts derived from the stored lines of a run. */
struct runs_derived {
	struct store_run run;
	uint64_t bad;            /* lines that are not the run's, or out of order */
	uint64_t damaged, first; /* damaged chunks, which are left out, and seq of the first */
};

/* 0 or an errno. */
int runs_derive(struct store *s, const struct store_run *run, struct runs_derived *d);

/* Begin anew: no line is known. */
void runs_forget_lines(struct store_run *run);

/*
 * Judge the run, which has ended: `summary.judged`, and what its TPM's quote proves, if the policy
 * asks for that. Lines that cannot be read leave it incomplete.
 */
void runs_judge(const struct policy *p, struct store *s, struct store_run *run);

#define RUNS_WHY 96

/*
 * True if a pass, or none, received at `at`, s since 1970, no longer counts: it is older than
 * max_age_ns (0: any age), or from the future. `why` has the reason.
 */
bool runs_has_expired(enum verdict verdict, uint64_t at, uint64_t max_age_ns, char why[RUNS_WHY]);
