/* SPDX-License-Identifier: BSD-2-Clause */
/* The latest run of one machine as text or JSON. */
#pragma once

#include "configs.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

#define STATUS_FORWARD_WHY 200

/* A run that has ended, on its way to an engine. */
struct status_forward {
	uint64_t sid;
	char state[16];               /* "waiting", "accepted", "refused", "empty" */
	uint64_t next_s;              /* not tried again before, s since 1970; 0: at its turn */
	char why[STATUS_FORWARD_WHY]; /* the last attempt failed; "": there was none */
};

struct status {
	const char *uuid;    /* as given */
	size_t runs;         /* of this machine */
	uint64_t max_age_ns; /* since the latest was received, of a pass that counts; 0: any */
	struct store_run latest;
	struct configs peers; /* of its kind of machine, itself included; empty: they are equal */
	/* Its runs that wait or were refused, and the latest; none where no collector forwards. */
	struct status_forward *forward;
	size_t forwards;
};

/* For the rows of options. */
#define STATUS_MAX_AGE_HELP \
	"no pass that was received longer ago than this, such as 7d, counts: it is incomplete"

/*
 * Does a pass, or none, not count any more, as it was received at `at`, s since 1970, which is
 * longer ago than max_age_ns, 0: any, or in the future? `why` has the reason.
 */
#define STATUS_WHY 96
bool status_has_expired(enum verdict verdict, uint64_t at, uint64_t max_age_ns,
			char why[STATUS_WHY]);

/*
 * Returns the exit code: the run's verdict; 2: there is none. A pass, or none, that is older than
 * that, or of the future as a clock was wrong, is incomplete, with the reason.
 */
int status_show(struct status *s, bool as_json);
