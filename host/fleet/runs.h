/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of a store, as subcommands read them: judged, with messages on standard error. */
#pragma once

#include "policy.h"
#include "store/store.h"

struct runs {
	const char *subcommand; /* for messages */
	const char *path;       /* of the folder */
	struct store *store;
	struct policy *policy; /* what judges; NULL: each run as it is stored */
	uint64_t damaged;      /* chunks that were left out; each run's are reported once */
};

#define RUNS_POLICY_HELP "judge by the policy in this file, instead of the collector's"

/*
 * Open the folder's store; the policy in the file `policy`, unless NULL, judges. False, with the
 * reason on standard error; runs_close() in any case.
 */
bool runs_open(struct runs *r, const char *subcommand, const char *path, const char *policy);
void runs_close(struct runs *r);

/* The policy that a store has; NULL: it has none. False, with its mistakes on standard error. */
bool runs_stored_policy(const char *subcommand, const char *path, struct store *s,
			struct policy **policy);

/* Each run that meets `where`, as store_each(). False, with the reason on standard error. */
bool runs_each(struct runs *r, const char *where, const char *text,
	       int (*take)(void *ctx, const struct store_run *run), void *ctx);

/* The run's lines, whole ones. False, with the reason on standard error. */
bool runs_lines(struct runs *r, const struct store_run *run,
		void (*take)(void *ctx, const char *text, size_t bytes), void *ctx);

/* Print "SUBCOMMAND: PATH/runs.sqlite: why" on standard error. Returns false. */
bool runs_fail(const struct runs *r, int error);
