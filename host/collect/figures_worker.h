/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that stores the figures of runs that have ended. It waits until nothing was committed
 * for a second, but a minute at most: what is received comes first.
 */
#pragma once

struct figures_worker;

/* NULL, with the reason on standard error. */
struct figures_worker *figures_worker_start(const char *folder);
void figures_worker_stop(struct figures_worker *w);

/* A commit has ended, and perhaps runs have. */
void figures_worker_wake(struct figures_worker *w);
