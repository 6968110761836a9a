/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector's counters for Prometheus: in a file that is replaced atomically, or over HTTP. */
#pragma once

#include "collector.h"

struct metrics;

/*
 * `where` is an address to listen on if it has a colon and no slash, else a file. NULL, with the
 * reason on standard error.
 */
struct metrics *collect_metrics_start(const char *where);

/* Update the counters that are shown. */
void collect_metrics_show(struct metrics *m, const struct collector *c);

void collect_metrics_stop(struct metrics *m);
