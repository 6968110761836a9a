/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector shows: counters for Prometheus, and its folder as JUnit's XML. */
#pragma once

#include "collector.h"

/*
 * The folder's runs, one test case each: a failed verdict is a failure, a missing one an error.
 * They are judged by the policy, unless it is NULL. 0 or an errno.
 */
int collect_junit_write(int dir, const struct policy *policy, const char *path);

/* Counters, in a file that is replaced atomically, or over HTTP. */
struct metrics;

/*
 * `where` is an address to listen on if it has a colon and no slash, else a file; if it is NULL,
 * `fd` listens, and verdicts are answered, too: web.h. NULL, with the reason on standard error.
 */
struct metrics *collect_metrics_start(const char *where, int fd, struct verdicts *verdicts,
				      uint64_t max_age_ns);

bool collect_metrics_is_address(const char *where);

/* Update the counters that are shown. */
void collect_metrics_show(struct metrics *m, struct collector *c);

void collect_metrics_stop(struct metrics *m);
