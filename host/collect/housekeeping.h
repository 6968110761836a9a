/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread for what nobody waits for. It stores the figures of runs that have ended, once nothing
 * was committed for a second, but after a minute at most: what is received comes first. It removes
 * what --keep does not keep: at the start, every 10 minutes, and when it is asked to.
 */
#pragma once

#include "retention.h"

struct housekeeping_setup {
	const char *folder; /* stays */
	struct retention_limits keep;
	bool must_forward; /* what is not forwarded yet stays */
	bool quiet;        /* removed runs are not logged one by one */
};

struct housekeeping;

/* NULL, with the reason logged. */
struct housekeeping *housekeeping_start(const struct housekeeping_setup *setup);
void housekeeping_stop(struct housekeeping *h);

/* A commit has ended, and perhaps runs have. */
void housekeeping_wake(struct housekeeping *h);

/* Remove at once what --keep does not keep. */
void housekeeping_keep(struct housekeeping *h);

/* The runs that were removed since the last call; free() the list. Returns how many. */
size_t housekeeping_take(struct housekeeping *h, struct retention_run **removed);
