/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector's counters for Prometheus: in a file that is replaced whole, or over HTTP. */
#ifndef HOST_COLLECT_METRICS_H
#define HOST_COLLECT_METRICS_H

#include "collector.h"

struct metrics;

/* `where` is an address to listen on where it has a colon and no slash, else a file. NULL: it is
 * said why. */
struct metrics *metrics_start(const char *where);

/* What is shown from now on. */
void metrics_show(struct metrics *m, const struct collector *c);

void metrics_stop(struct metrics *m);

#endif
