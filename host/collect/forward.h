/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs that have ended are forwarded to a time-series engine over HTTP, as `noisefloor show
 * --format influx` writes them. The store is the queue: each run's row has what became of it, so
 * nothing is lost when the engine or the collector is down. A run may be sent twice, with the same
 * points.
 *
 * No run keeps another waiting: one that fails is tried again later, at growing intervals, and one
 * that was rejected each hour, on SIGHUP and at the start, as the engine's limits may have changed.
 */
#pragma once

#include "http.h"

#include "host/fleet/store/store.h"

#define FORWARD_FORMS "influx:http[s]://HOST:PORT/write?db=NAME (InfluxDB 1.x, VictoriaMetrics)"

enum forward_result {
	FORWARD_TAKEN,   /* 2xx, or there was nothing to send */
	FORWARD_REFUSED, /* 400, 413, 422: this run is not accepted */
	FORWARD_LATER,   /* no answer, or any other: try others, and this one later */
};

/* The result that an HTTP status means; 0: there was no answer. */
enum forward_result forward_result(int status);

struct forward;

/* Starts a thread. NULL, with the reason on standard error. `to` and `folder` stay. */
struct forward *forward_start(const char *to, const char *folder, const struct http_access *access);

/* Try again at once what has failed. */
void forward_again(struct forward *f);

/*
 * Stop. The process is about to end: a pending request may be abandoned. Unsent runs are sent after
 * the next start.
 */
void forward_stop(struct forward *f);

struct forward_counts {
	uint64_t oldest_s; /* when the end of the one that waits longest came; 0: none */
	uint64_t waiting;  /* runs; also those that were rejected, for another try */
	uint64_t taken, refused;
};

/* `s`: of the calling thread. */
struct forward_counts forward_counts(struct forward *f, struct store *s);

/* ---- points.c ---- */

/*
 * The first argument of a process of its own that makes a run's points: if a run of hundreds of
 * megabytes needs much memory, or crashes it, the collector is not affected. The folder and the
 * run's sid follow.
 */
#define FORWARD_POINTS "points"

/*
 * Prepare the helper process: bound its memory, have the system end it first when memory runs out,
 * and let signals end it.
 */
void forward_prepare_points(void);

/*
 * Print the points of a run of the folder's store as `noisefloor show --format influx` does.
 * Returns the exit code: 0 where all of them are printed.
 */
int forward_print_points(const char *folder, const char *sid);
