/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that turns one run at a time into points, and posts these in pieces. */
#define _GNU_SOURCE /* pipe2, memrchr, pthread_clockjoin_np */
#include "forward.h"

#include "host/lib/exit.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "service/service.h"

#include "core/lib/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCHEME "influx:"

#define PIECE_BYTES ((size_t)1 << 20) /* most bytes of a request; whole lines */
/* After a failure, 1 s, doubled with each further one up to one of these: */
#define PAUSE_MAX_S 60                  /* the engine fails for one run after the other */
#define LATER_MAX_S 600                 /* for the run that failed */
#define REFUSED_S   3600                /* for a rejected run */
#define POST_S      30                  /* for a request */
#define ERROR_S     60                  /* the store cannot be read, or written */
#define STOP_NS     UINT64_C(500000000) /* for what is being sent */
#define TICK_NS     100000000           /* between looks at what is asked of the thread */

extern char **environ;

/* A run whose turn it is. */
struct waiting_run {
	uint64_t id, sid;
	unsigned tries;   /* failed tries */
	bool was_refused; /* by an earlier try */
};

struct forward {
	const char *to, *folder;
	struct http *http;
	struct store *store;
	pthread_t thread;
	_Atomic bool stop, again;
	_Atomic uint64_t taken, refused;
	unsigned failures;  /* consecutive failures, each of another run */
	uint64_t failed;    /* id of the last of these */
	char why[HTTP_WHY]; /* why the last attempt failed */
	char piece[PIECE_BYTES];
};

/* Sleep, but no longer than until the request to stop, or to try again. */
static void wait_seconds(struct forward *f, unsigned seconds)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };

	for (uint64_t n = seconds * NS_PER_S / TICK_NS; n && !f->stop && !f->again; n--)
		nanosleep(&tick, NULL);
}

/* ---- What the store has of it ---- */

#define WAITS "ended AND coalesce(forward_state, 'refused')='refused'"

static int change(struct forward *f, char *sql)
{
	int error = sql ? store_begin(f->store) : ENOMEM;

	error = error ? error : store_end(f->store, store_run_sql(f->store, sql));
	if (error)
		service_log(LOG_ERR, "--forward: " STORE_NAME ": %s", store_why(error));
	sqlite3_free(sql);
	return error;
}

/*
 * Store the state of a run. A NULL `state` means that the run waits, and 0 `seconds` that there is
 * no next try. A run whose state cannot be stored is still the first that is due: wait before it is
 * sent again.
 */
static void forward_put(struct forward *f, const struct waiting_run *run, const char *state,
			unsigned seconds)
{
	int error = change(
		f, sqlite3_mprintf("UPDATE run SET forward_state=%Q, forward_next_s=%llu, "
				   "forward_why=%Q, forward_tries=%u WHERE id=%llu",
				   state, seconds ? (unsigned long long)time(NULL) + seconds : 0,
				   seconds ? f->why : NULL, seconds ? run->tries + 1 : 0,
				   (unsigned long long)run->id));

	if (error)
		wait_seconds(f, ERROR_S);
}

/* Try all waiting runs now, rejected ones too: the engine's limits may have changed. */
static int forward_reset(struct forward *f)
{
	return change(f, sqlite3_mprintf("UPDATE run SET forward_next_s=0, forward_tries=0 "
					 "WHERE " WAITS " AND forward_next_s>0"));
}

/* ---- The queue ---- */

static int take_run(void *ctx, sqlite3_stmt *row)
{
	const char *sid = (const char *)sqlite3_column_text(row, 1);

	*(struct waiting_run *)ctx =
		(struct waiting_run){ .id = (uint64_t)sqlite3_column_int64(row, 0),
				      .sid = sid ? strtoull(sid, NULL, 16) : 0,
				      .was_refused = sqlite3_column_type(row, 2) != SQLITE_NULL,
				      .tries = (unsigned)sqlite3_column_int(row, 3) };
	return 0;
}

/* No run waits for longer than REFUSED_S, unless the clock has been set back. */
static bool has_clock_gone_back(const struct forward *f)
{
	uint64_t runs;

	return store_number(f->store,
			    "SELECT count(*) FROM run WHERE forward_next_s > "
			    "CAST(strftime('%s', 'now') AS INTEGER) + 7200 AND " WAITS,
			    &runs) == 0 &&
	       runs;
}

/* The first that is due. False: it is time to stop. */
static bool next_run(struct forward *f, struct waiting_run *run)
{
	int error = 0;

	for (; !f->stop; wait_seconds(f, error ? ERROR_S : 1)) {
		if (atomic_exchange(&f->again, false) || has_clock_gone_back(f))
			forward_reset(f);
		*run = (struct waiting_run){ .id = 0 };
		error = store_ask(f->store,
				  "SELECT id, sid, forward_state, forward_tries FROM run WHERE "
				  "forward_next_s <= CAST(strftime('%s', 'now') AS INTEGER) "
				  "AND " WAITS " ORDER BY forward_next_s, id LIMIT 1",
				  NULL, take_run, run);
		if (error)
			service_log(LOG_ERR, "--forward: " STORE_NAME ": %s", store_why(error));
		else if (run->id)
			return true;
	}
	return false;
}

/* ---- Points ---- */

/* Run this program for the points, with its output to a pipe. 0 or an errno. */
static int spawn_points(const struct forward *f, const struct waiting_run *run, int out,
			pid_t *child)
{
	char sid[STORE_SID];
	char *argv[] = { "noisefloor-collect", FORWARD_POINTS, (char *)f->folder, sid, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	snprintf(sid, sizeof(sid), "%016" PRIx64, run->sid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Returns the bytes up to the last newline; the rest is part of the next piece. */
static size_t whole_lines(const char *text, size_t bytes)
{
	const char *newline = memrchr(text, '\n', bytes);

	return newline ? (size_t)(newline - text) + 1 : 0;
}

enum forward_result forward_result(int status)
{
	if (status >= 200 && status < 300)
		return FORWARD_TAKEN;
	/* 401, 403 and 404 are for the engine's administrator to fix. */
	return status == 400 || status == 413 || status == 422 ? FORWARD_REFUSED : FORWARD_LATER;
}

static enum forward_result post(struct forward *f, size_t bytes)
{
	return forward_result(
		http_post(f->http, f->to + strlen(SCHEME), f->piece, bytes, POST_S, f->why));
}

/*
 * Post all points, until the writer closes its end. A piece that does not become full is the last.
 */
static enum forward_result post_all(struct forward *f, FILE *in)
{
	enum forward_result result = FORWARD_TAKEN;
	size_t used = 0, bytes;

	do {
		used += fread(f->piece + used, 1, sizeof(f->piece) - used, in);
		bytes = whole_lines(f->piece, used);
		if (!bytes)
			return result;
		result = post(f, bytes);
		used -= bytes;
		memmove(f->piece, f->piece + bytes, used);
	} while (result == FORWARD_TAKEN);
	return result;
}

static enum forward_result forward_run(struct forward *f, const struct waiting_run *run)
{
	enum forward_result result = FORWARD_LATER;
	int end[2], status = -1;
	FILE *in;
	pid_t child;

	snprintf(f->why, sizeof(f->why), "the system has no resources for it");
	if (pipe2(end, O_CLOEXEC) != 0)
		return result;
	in = fdopen(end[0], "r");
	if (in && spawn_points(f, run, end[1], &child) == 0) {
		close(end[1]);
		result = post_all(f, in);
		fclose(in);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	} else {
		close(end[1]);
		in ? fclose(in) : close(end[0]);
	}
	/*
	 * If the child failed, not all points were posted. If points were refused, the rest is not
	 * read, so that its exit code means nothing.
	 */
	if (result == FORWARD_TAKEN && (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_PASS)) {
		snprintf(f->why, sizeof(f->why), "its points were not made to the end");
		result = FORWARD_LATER;
	}
	return result;
}

static unsigned doubled(unsigned times, unsigned most_s)
{
	return times < 10 && 1u << times < most_s ? 1u << times : most_s;
}

/* The store has the reason for each run. */
static void settle_refused(struct forward *f, const struct waiting_run *run)
{
	forward_put(f, run, "refused", REFUSED_S);
	f->failures = 0;
	if (run->was_refused)
		return;
	f->refused++;
	service_log(LOG_WARNING, "--forward: run %016" PRIx64 " was rejected: %s", run->sid,
		    f->why);
}

/* The run may be at fault, or the engine: another is tried at once, then others at intervals. */
static void settle_later(struct forward *f, const struct waiting_run *run)
{
	bool is_another = f->failures && run->id != f->failed;

	forward_put(f, run, run->was_refused ? "refused" : NULL, doubled(run->tries, LATER_MAX_S));
	if (!f->failures)
		service_log(
			LOG_WARNING,
			"--forward: %.*s does not accept points; they wait in %s: run %016" PRIx64
			": %s",
			(int)strcspn(f->to, "?"), f->to, f->folder, run->sid, f->why);
	f->failures += is_another || !f->failures;
	f->failed = run->id;
	if (is_another)
		wait_seconds(f, doubled(f->failures - 2, PAUSE_MAX_S));
}

static void forward_settle(struct forward *f, const struct waiting_run *run,
			   enum forward_result result)
{
	if (result == FORWARD_LATER) {
		settle_later(f, run);
	} else if (result == FORWARD_REFUSED) {
		settle_refused(f, run);
	} else {
		forward_put(f, run, "accepted", 0);
		f->taken++;
		f->failures = 0;
	}
}

static void *forward_all(void *ctx)
{
	struct forward *f = ctx;
	struct waiting_run run;

	signals_block();
	while (next_run(f, &run))
		forward_settle(f, &run, forward_run(f, &run));
	return NULL;
}

/* False: `why` has the reason. A password would be shown to all users of this machine. */
static bool forward_start_child(struct forward *f, const struct http_access *access,
				char why[HTTP_WHY])
{
	int error;

	if (strncmp(f->to, SCHEME, strlen(SCHEME)) != 0 || !http_is_url(f->to + strlen(SCHEME))) {
		snprintf(why, HTTP_WHY, "accepted: " FORWARD_FORMS "%s",
			 strchr(f->to, '@') ? ", without a password: use --netrc-file" : "");
		return false;
	}
	f->http = http_open(access, why);
	f->store = f->http ? store_open(f->folder, STORE_WRITE, why) : NULL;
	if (!f->store)
		return false;
	error = forward_reset(f);
	error = error ? error : pthread_create(&f->thread, NULL, forward_all, f);
	snprintf(why, HTTP_WHY, "%s", store_why(error));
	return !error;
}

static void forward_release(struct forward *f)
{
	store_close(f->store);
	http_close(f->http);
	free(f);
}

struct forward *forward_start(const char *to, const char *folder, const struct http_access *access)
{
	struct forward *f = calloc(1, sizeof(*f));
	char why[HTTP_WHY];

	if (!f)
		return NULL;
	f->to = to;
	f->folder = folder;
	if (forward_start_child(f, access, why))
		return f;
	/* Parameters may be secret. */
	service_log(LOG_ERR, "--forward %.*s: %s", strchr(to, '@') ? 0 : (int)strcspn(to, "?"), to,
		    why);
	forward_release(f);
	return NULL;
}

void forward_again(struct forward *f)
{
	f->again = true;
}

void forward_stop(struct forward *f)
{
	struct timespec until;

	if (!f)
		return;
	f->stop = true;
	until = monotonic_timespec(monotonic_ns() + STOP_NS);
	/* A name server or an engine may be slow; the process ends without it. */
	if (pthread_clockjoin_np(f->thread, NULL, CLOCK_MONOTONIC, &until) == 0)
		forward_release(f);
}

static int take_waiting(void *ctx, sqlite3_stmt *row)
{
	struct forward_counts *counts = ctx;

	counts->waiting = (uint64_t)sqlite3_column_int64(row, 0);
	counts->oldest_s = (uint64_t)sqlite3_column_int64(row, 1);
	return 0;
}

struct forward_counts forward_counts(struct forward *f, struct store *s)
{
	struct forward_counts counts = { .taken = f->taken, .refused = f->refused };

	store_ask(s, "SELECT count(*), min(ended_s) FROM run WHERE " WAITS, NULL, take_waiting,
		  &counts);
	return counts;
}
