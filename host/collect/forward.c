/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that turns one run at a time into points, and posts these in pieces. */
#define _GNU_SOURCE /* pipe2, memrchr, pthread_clockjoin_np */
#include "forward.h"

#include "host/lib/exit.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "points.h"
#include "service/service.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
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

#define PIECE_BYTES ((size_t)1 << 20) /* of one request, up to its last complete line */
#define WAIT_S      1                 /* after a failure, doubled up to one of these: */
#define AWAY_MAX_S  60                /* the engine is unreachable */
#define BUSY_MAX_S  4                 /* it fails one run after the other */
#define LATER_MAX_S 600               /* for the run that failed */
#define REFUSED_S   3600              /* for one that was rejected */
#define POST_S      30                /* for one request */
#define QUIET_S     60
#define ERROR_S     60                  /* the store cannot be read */
#define STOP_NS     UINT64_C(500000000) /* for what is being sent */
#define TICK_NS     100000000           /* between looks at what is asked of the thread */

extern char **environ;

/* A run whose turn it is. */
struct waiting_run {
	uint64_t id, sid;
	unsigned tries;   /* that failed */
	bool was_refused; /* by an earlier try */
};

struct forward {
	struct forward_setup setup;
	struct http *http;
	const char *url;
	struct store *store;
	pthread_t thread;
	_Atomic bool stop, again;
	_Atomic uint64_t taken, refused;
	unsigned wait_s;           /* s to wait after a failure; 0: the last attempt was none */
	bool reported;             /* it was reported that the engine is unreachable */
	uint64_t quiet_until_ns;   /* no messages until then about runs that are rejected again */
	char why[HTTP_ANSWER_WHY]; /* why the last attempt failed */
	char piece[PIECE_BYTES];
};

/* ---- What the store has of it ---- */

#define WAITS "ended AND coalesce(forward_state, 'refused')='refused'"

static int change(struct store *s, const char *sql)
{
	int error = sql ? store_begin(s) : ENOMEM;

	return error ? error : store_end(s, store_run_sql(s, sql));
}

static void report_error(int error)
{
	service_log(LOG_ERR, "--forward: " STORE_NAME ": %s", store_why(error));
}

/* `state`: NULL: it waits. `seconds`: to the next try; 0: there is none. */
static void put(struct forward *f, const struct waiting_run *run, const char *state,
		unsigned seconds)
{
	char *sql = sqlite3_mprintf("UPDATE run SET forward_state=%Q, forward_next_s=%llu, "
				    "forward_why=%Q, forward_tries=%u WHERE id=%llu",
				    state, seconds ? (unsigned long long)time(NULL) + seconds : 0,
				    seconds ? f->why : NULL, seconds ? run->tries + 1 : 0,
				    (unsigned long long)run->id);
	int error = change(f->store, sql);

	if (error)
		report_error(error);
	sqlite3_free(sql);
}

/* Those that were rejected, too: the engine's limits may be others now. */
static int reset(struct forward *f)
{
	return change(f->store, "UPDATE run SET forward_next_s=0, forward_tries=0 "
				"WHERE " WAITS " AND forward_next_s>0");
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

/* Sleep, but no longer than until the request to stop, or to try again. */
static void wait_seconds(struct forward *f, unsigned seconds)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };

	for (uint64_t n = seconds * NS_PER_S / TICK_NS; n && !f->stop && !f->again; n--)
		nanosleep(&tick, NULL);
}

/* The first that is due. False: it is time to stop. */
static bool next_run(struct forward *f, struct waiting_run *run)
{
	int error = 0;

	for (; !f->stop; wait_seconds(f, error ? ERROR_S : 1)) {
		if (atomic_exchange(&f->again, false))
			reset(f);
		*run = (struct waiting_run){ .id = 0 };
		error = store_ask(f->store,
				  "SELECT id, sid, forward_state, forward_tries FROM run WHERE "
				  "forward_next_s <= CAST(strftime('%s', 'now') AS INTEGER) "
				  "AND " WAITS " ORDER BY forward_next_s, id LIMIT 1",
				  NULL, take_run, run);
		if (error)
			report_error(error);
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
	char *argv[] = { "noisefloor-collect", POINTS_NAME, (char *)f->setup.folder, sid, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, pipe;
	int error;

	snprintf(sid, sizeof(sid), "%016" PRIx64, run->sid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	/* Signals terminate it as any program, and so does a closed pipe. */
	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &pipe);
	error = posix_spawn(child, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* The bytes up to the last newline; the rest is part of the next piece. */
static size_t whole_lines(const char *text, size_t bytes)
{
	const char *newline = memrchr(text, '\n', bytes);

	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* Fill the piece. If it does not become full, it was the last. */
static size_t fill_piece(struct forward *f, size_t used, int in)
{
	while (used < sizeof(f->piece)) {
		ssize_t n = read(in, f->piece + used, sizeof(f->piece) - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	return used;
}

enum forward_result forward_result(int status)
{
	if (status >= 200 && status < 300)
		return FORWARD_TAKEN;
	if (status >= 500)
		return FORWARD_LATER;
	/*
	 * 408 and 429 mean: try later; 401, 403 and 404 are for the engine's administrator to fix.
	 */
	return status == 400 || status == 413 || status == 422 ? FORWARD_REFUSED : FORWARD_AWAY;
}

static enum forward_result post(struct forward *f, size_t bytes)
{
	struct http_answer a;

	http_post(f->http, f->url, f->piece, bytes, POST_S, &a);
	http_answer_why(&a, f->why);
	return forward_result(a.status);
}

/* Until the writer closes its end. */
static enum forward_result post_all(struct forward *f, int in)
{
	enum forward_result result = FORWARD_EMPTY;
	size_t used = 0, bytes;

	do {
		used = fill_piece(f, used, in);
		bytes = whole_lines(f->piece, used);
		if (!bytes)
			return used ? FORWARD_EMPTY : result;
		result = post(f, bytes);
		used -= bytes;
		memmove(f->piece, f->piece + bytes, used);
	} while (result == FORWARD_TAKEN);
	return result;
}

/* The output of one that was killed is incomplete, unless it was that nobody read the rest. */
static bool is_complete(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) <= EXIT_INCOMPLETE
				 : WTERMSIG(status) == SIGPIPE;
}

static enum forward_result forward_run(struct forward *f, const struct waiting_run *run)
{
	enum forward_result result;
	int end[2], status;
	pid_t child;

	snprintf(f->why, sizeof(f->why), "the system has no resources for it");
	if (pipe2(end, O_CLOEXEC) != 0)
		return FORWARD_AWAY;
	if (spawn_points(f, run, end[1], &child) != 0) {
		close(end[0]);
		close(end[1]);
		return FORWARD_AWAY;
	}
	close(end[1]);
	result = post_all(f, end[0]);
	close(end[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (is_complete(status))
		return result;
	snprintf(f->why, sizeof(f->why), "its points were not made to the end");
	return result == FORWARD_AWAY ? result : FORWARD_LATER;
}

static void report_away(struct forward *f)
{
	char shown[HTTP_SHOWN];

	http_shown(f->setup.to, shown);
	if (!f->reported)
		service_log(LOG_WARNING,
			    "--forward: %s does not accept points; they wait in %s: %s", shown,
			    f->setup.folder, f->why);
	f->reported = true;
}

static unsigned doubled(unsigned seconds, unsigned most)
{
	return !seconds ? WAIT_S : 2 * seconds < most ? 2 * seconds : most;
}

/* After so many tries that failed. */
static unsigned later_s(unsigned tries)
{
	return tries < 10 && WAIT_S << tries < LATER_MAX_S ? (unsigned)WAIT_S << tries
							   : LATER_MAX_S;
}

static void settle_refused(struct forward *f, const struct waiting_run *run)
{
	bool is_new = !run->was_refused;
	uint64_t now = monotonic_ns();

	put(f, run, "refused", REFUSED_S);
	if (is_new)
		f->refused++;
	/* Thousands may be rejected again in a row. */
	if (is_new || now >= f->quiet_until_ns)
		service_log(LOG_WARNING, "--forward: run %016" PRIx64 " was rejected: %s", run->sid,
			    f->why);
	if (!is_new)
		f->quiet_until_ns = now + QUIET_S * NS_PER_S;
	f->reported = false;
	f->wait_s = 0;
}

/*
 * The run may be at fault, or the engine: others are tried at once, then at intervals. Of an engine
 * that is unreachable they are tried at intervals only.
 */
static void settle_later(struct forward *f, const struct waiting_run *run, bool is_away)
{
	unsigned busy_s = f->wait_s, wait_s = doubled(busy_s, is_away ? AWAY_MAX_S : BUSY_MAX_S);
	unsigned run_s = is_away ? wait_s : later_s(run->tries);

	put(f, run, run->was_refused ? "refused" : NULL, run_s);
	if (is_away || busy_s)
		report_away(f);
	else
		service_log(LOG_WARNING,
			    "--forward: run %016" PRIx64 " waits for %u s, others go on: %s",
			    run->sid, run_s, f->why);
	f->wait_s = wait_s;
	wait_seconds(f, is_away ? wait_s : busy_s);
}

static void settle(struct forward *f, const struct waiting_run *run, enum forward_result result)
{
	switch (result) {
	case FORWARD_TAKEN:
		put(f, run, "accepted", 0);
		f->taken++;
		f->reported = false;
		f->wait_s = 0;
		break;
	case FORWARD_EMPTY:
		put(f, run, "empty", 0);
		break;
	case FORWARD_REFUSED:
		settle_refused(f, run);
		break;
	default:
		settle_later(f, run, result == FORWARD_AWAY);
	}
}

static void *forward_all(void *ctx)
{
	struct forward *f = ctx;
	struct waiting_run run;

	signals_block();
	while (next_run(f, &run))
		settle(f, &run, forward_run(f, &run));
	return NULL;
}

static bool start(struct forward *f)
{
	const char *to = f->setup.to;
	char shown[HTTP_SHOWN], why[STORE_WHY];
	int error;

	f->url = to + strlen(SCHEME);
	if (strncmp(to, SCHEME, strlen(SCHEME)) != 0 || !http_is_url(f->url)) {
		const char *unsupported = http_unsupported(to);

		http_shown(to, shown);
		service_log(LOG_ERR, "--forward %s: %s", shown,
			    unsupported ? unsupported : "accepted: " FORWARD_FORMS);
		return false;
	}
	f->http = http_open("noisefloor-collect", f->setup.access, shown);
	if (!f->http) {
		service_log(LOG_ERR, "--forward: %s", shown);
		return false;
	}
	f->store = store_open(f->setup.folder, STORE_WRITE, why);
	if (!f->store) {
		service_log(LOG_ERR, "--forward: %s", why);
		return false;
	}
	error = reset(f);
	error = error ? error : pthread_create(&f->thread, NULL, forward_all, f);
	if (error)
		service_log(LOG_ERR, "--forward: " STORE_NAME ": %s", store_why(error));
	return !error;
}

static void release(struct forward *f)
{
	store_close(f->store);
	http_close(f->http);
	free(f);
}

struct forward *forward_start(const struct forward_setup *setup)
{
	struct forward *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->setup = *setup;
	if (start(f))
		return f;
	release(f);
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
		release(f);
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
