/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector shows: counters for Prometheus, and its store as JUnit's XML. */
#pragma once

#include "collector.h"

#include "host/program/options.h"

extern const struct options_subcommand collect_program;

/* The n-th, from 0: the only one there is. */
const struct options_subcommand *collect_program_at(size_t n);

/*
 * The store's runs, one test case each: a failed verdict is a failure, a missing one an error. 0 or
 * an errno.
 */
int collect_junit_write(struct store *s, const char *path);

/* Counters, in a file that is replaced atomically, or over HTTP. */
struct metrics;

/*
 * `where` is an address to listen on if it has a colon and no slash, else a file; if it is NULL,
 * `fd` listens, and verdicts are answered, too: web.h. NULL, with the reason on standard error.
 */
struct metrics *collect_metrics_start(const char *where, int fd, const char *folder,
				      uint64_t max_age_ns);

bool collect_metrics_is_address(const char *where);

/* Update the counters that are shown. */
void collect_metrics_show(struct metrics *m, struct collector *c);

void collect_metrics_stop(struct metrics *m);
