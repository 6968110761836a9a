/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs that have ended are forwarded to a time-series engine over HTTP, as `noisefloor show
 * --format influx` writes them. The runs' files are the queue: DIR/forwarded names those that the
 * engine has accepted or rejected, and those without a point, so nothing is lost when the engine or
 * the collector is down, or the index is lost. A run may be sent twice, with the same points.
 *
 * No run keeps another waiting: one that fails is tried again later, at growing intervals, and one
 * that was rejected each hour, on SIGHUP and at the start, as the engine's limits may have changed.
 */
#pragma once

#include "host/collect/engine/http.h"

#include "host/store/index.h"
#include "host/store/index_forward.h"

#define FORWARD_FORMS "influx:http[s]://HOST:PORT/write?db=NAME (InfluxDB 1.x, VictoriaMetrics)"

enum forward_result {
	FORWARD_TAKEN,   /* 2xx */
	FORWARD_EMPTY,   /* there is nothing to send */
	FORWARD_REFUSED, /* 400, 413, 422: this run is not accepted */
	FORWARD_LATER,   /* 5xx: try others, and this one later */
	FORWARD_AWAY,    /* no connection, no answer, or any other status: try later */
};

/* What the status of an answer means; 0: there was none. */
enum forward_result forward_result(int status);

struct forward;

struct forward_setup {
	const char *to, *dir; /* the latter as a path; both stay */
	const struct http_access *access;
	/*
	 * In its thread: a run's state for the index, or with `all` what holds up those that wait;
	 * without a reason nothing does any more.
	 */
	void (*state)(void *ctx, const struct index_forward *state, bool all);
	void *ctx;
};

/*
 * Starts a thread, for those that wait by the index, which is open for writing. NULL, with the
 * reason on standard error.
 */
struct forward *forward_start(const struct forward_setup *setup);

/* A run has ended, and the index knows it; `began`, 0: by the index. Idempotent. */
void forward_add(struct forward *f, const struct index_entry *e);

/* Open DIR/forwarded anew, and try again at once what has failed. */
void forward_reopen(struct forward *f);

/* It is to stop: from here on it reports no states. */
void forward_quit(struct forward *f);

/*
 * What has not been sent is sent after the next start. The process is to end: a request may be
 * left behind.
 */
void forward_stop(struct forward *f);

struct forward_counts {
	uint64_t oldest_s; /* when the end of the first of those waiting was received; 0: none */
	uint64_t waiting;  /* runs; also those that were rejected, for another try */
	uint64_t taken, refused, empty;
};

struct forward_counts forward_counts(struct forward *f);
