/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The housekeeping thread, which does what nobody waits for. It stores the figures of ended runs
 * once nothing was committed for a second, but after at most a minute, because receiving comes
 * first. It removes the runs that --keep does not keep: at the start, every 10 minutes, and on
 * request.
 */
#pragma once

#include "retention.h"

struct housekeeping_setup {
	const char *folder; /* must stay valid */
	struct retention_limits keep;
	bool must_forward; /* runs that are not forwarded yet stay */
	bool quiet;        /* removed runs are not logged one by one */
};

struct housekeeping;

/* Start the thread. NULL: it cannot start, and the reason is logged. */
struct housekeeping *housekeeping_start(const struct housekeeping_setup *setup);
void housekeeping_stop(struct housekeeping *h);

/* Report that a commit has ended, and perhaps runs with it. */
void housekeeping_wake(struct housekeeping *h);

/* Remove at once what --keep does not keep; without --keep, nothing. */
void housekeeping_keep(struct housekeeping *h);

/*
 * Returns the number of runs removed since the last call, and their list, which the caller frees.
 */
size_t housekeeping_take(struct housekeeping *h, struct retention_run **removed);
