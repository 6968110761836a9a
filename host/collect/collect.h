/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector shows: counters for Prometheus, and its store as JUnit's XML. */
#pragma once

#include "collector.h"
#include "web.h"

#include "host/program/options.h"

extern const struct options_subcommand collect_program;

/* The n-th, from 0: the only one there is. */
const struct options_subcommand *collect_program_at(size_t n);

/*
 * The store's runs, one test case each: a failed verdict is a failure, a missing one an error. 0 or
 * an errno.
 */
int collect_junit_write(struct store *s, const char *path);

/*
 * Serve counters and verdicts: web.h. `where` is an address to listen on; if NULL, `fd` listens
 * already. Returns NULL, with the reason on standard error, on failure. End it by web_stop().
 */
struct web *collect_metrics_start(const char *where, int fd, const char *folder,
				  uint64_t max_age_ns);

/* Update what the page shows. */
void collect_metrics_show(struct web *web, struct collector *c);
