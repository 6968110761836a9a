/* SPDX-License-Identifier: BSD-2-Clause */
/* The latest run of one machine as text or JSON, wherever it was read. */
#pragma once

#include "configs.h"
#include "folder_index.h"
#include "host/store/index.h"

#include <stdbool.h>

struct status {
	const char *uuid; /* as given */
	unsigned runs;    /* of this machine */
	bool is_guessed;  /* which of them is the latest */
	bool has_no_reason;
	uint64_t max_age_ns; /* since latest.at, of a pass that counts; 0: any */
	struct index_entry latest;
	struct configs peers; /* of its kind of machine, itself included; empty: they are equal */
	struct folder_index_forward forward;
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
