/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs that have ended go on to a time-series engine over HTTP, as `noisefloor show --format
 * influx` writes them. The runs' files are the queue: DIR/forwarded names those that the engine
 * has taken ("<sid> taken") or will not have ("<sid> refused"), so nothing is lost when the engine
 * or the collector is away. A run may be sent twice, with the same points.
 */
#ifndef HOST_FORWARD_H
#define HOST_FORWARD_H

#include <stdint.h>

#define FORWARD_FORMS "influx:http://HOST:PORT/write?db=NAME (InfluxDB 1.x, VictoriaMetrics)"

struct forward;

/* `dir` as a path. Starts a thread. NULL: it has been said why. */
struct forward *forward_start(const char *to, const char *dir);

/* A run has ended, and the index knows it. Called again for the same run it does no harm. */
void forward_add(struct forward *f, uint64_t sid);

/* What has not been sent stays for the next time. */
void forward_stop(struct forward *f);

uint64_t forward_waiting(struct forward *f);
uint64_t forward_taken(struct forward *f);
uint64_t forward_refused(struct forward *f);

#endif
