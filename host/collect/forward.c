/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that turns one run at a time into points, and posts these in pieces. */
#define _GNU_SOURCE /* pipe2, memrchr, pthread_clockjoin_np */
#include "forward.h"

#include "host/collect/engine/engine_answer.h"
#include "host/collect/index/forwarded.h"
#include "host/collect/index/index_db.h"
#include "host/lib/exit.h"
#include "points.h"
#include "service/service.h"
#include "host/lib/memory.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "host/store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCHEME "influx:"

#define PIECE_BYTES  ((size_t)1 << 20) /* of one request, up to its last complete line */
#define ANSWER_BYTES 4096              /* of its answer; what exceeds is dropped */
#define WAIT_S       1                 /* after a failure, doubled up to one of these: */
#define AWAY_MAX_S   60                /* the engine is unreachable */
#define BUSY_MAX_S   4                 /* it fails one run after the other */
#define LATER_MAX_S  600               /* for the run that failed */
#define REFUSED_S    3600              /* for one that was rejected */
#define POST_S       30                /* for one request */
#define QUIET_S      60
#define STOP_NS      UINT64_C(500000000) /* for what is being sent */

extern char **environ;

struct waiting_run {
	uint64_t sid;
	uint64_t ended_s; /* when its end was received, s since 1970 */
	uint64_t began;   /* s since 1970, by the index; 0: not looked up yet */
	uint64_t due_ns;  /* not before this */
	unsigned wait_s;  /* that it had to, when it failed last */
	bool was_refused; /* and `forwarded` has that */
};

struct forward {
	struct forward_setup setup;
	struct http *http;
	struct http_target target;
	int dir, done;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool stop;
	_Atomic bool reopen;     /* `done`, before it is written */
	struct waiting_run *run; /* a queue; one that fails goes to its end */
	size_t first, count;
	uint64_t sent_ended_s;        /* of the one that is: */
	bool sending;                 /* one that is in the queue no more */
	struct forward_counts counts; /* but for those waiting */
	unsigned wait_s;              /* after the next failure; 0: the last attempt was none */
	bool reported;                /* that the engine is unreachable */
	bool is_away;                 /* and so has the index */
	uint64_t quiet_until_ns;      /* about runs that are rejected again */
	char why[ENGINE_ANSWER_WHY];  /* the last attempt failed */
	char piece[PIECE_BYTES];
};

static uint64_t clock_s(void)
{
	return (uint64_t)time(NULL);
}

/* For the index: how far a run is, or what holds up all of them */

static struct index_forward state_of(const struct forward *f, uint64_t sid,
				     enum index_forward_state state, unsigned seconds)
{
	struct index_forward s = { .sid = sid, .state = state };

	if (state == INDEX_FORWARD_ACCEPTED || state == INDEX_FORWARD_EMPTY)
		return s;
	s.next = clock_s() + seconds;
	snprintf(s.why, sizeof(s.why), "%s", f->why);
	return s;
}

/* Who takes them may be gone after that. */
static void report(struct forward *f, const struct index_forward *state, bool all)
{
	pthread_mutex_lock(&f->mutex);
	if (!f->stop)
		f->setup.state(f->setup.ctx, state, all);
	pthread_mutex_unlock(&f->mutex);
}

static void put_state(struct forward *f, uint64_t sid, enum index_forward_state state,
		      unsigned seconds)
{
	const struct index_forward s = state_of(f, sid, state, seconds);

	report(f, &s, false);
}

/* It does not accept points for so many seconds. */
static void put_away(struct forward *f, unsigned seconds)
{
	const struct index_forward s = state_of(f, 0, INDEX_FORWARD_WAITING, seconds);

	f->is_away = true;
	report(f, &s, true);
}

static void put_here(struct forward *f)
{
	if (f->is_away)
		report(f, &(struct index_forward){ .sid = 0 }, true);
	f->is_away = false;
}

/* The list of those that are done */

static void put_done(struct forward *f, uint64_t sid, enum index_forward_state state)
{
	int error;

	if (atomic_exchange(&f->reopen, false)) {
		close(f->done);
		f->done = forwarded_open(f->dir);
	}
	error = forwarded_add(f->done, sid, state);
	if (error)
		service_log(LOG_ERR, INDEX_FORWARDED ": %s", strerror(error));
	put_state(f, sid, state, REFUSED_S);
}

/* The queue */

static void push(struct forward *f, const struct waiting_run *run)
{
	struct waiting_run *more;

	if (f->first > f->count) {
		memmove(f->run, f->run + f->first, f->count * sizeof(*f->run));
		f->first = 0;
	}
	more = memory_try_grow(f->run, f->first + f->count, sizeof(*more));
	/* The run is found in the index when the collector starts again. */
	if (!more)
		return;
	f->run = more;
	f->run[f->first + f->count++] = *run;
	pthread_cond_signal(&f->changed);
}

void forward_add(struct forward *f, const struct index_entry *e)
{
	pthread_mutex_lock(&f->mutex);
	push(f, &(struct waiting_run){ .sid = e->sid, .ended_s = clock_s(), .began = e->began });
	pthread_mutex_unlock(&f->mutex);
}

/* Those that were rejected, too: the engine's limits may be others now. */
static void add_waiting(void *ctx, const struct index_entry *e, enum index_forward_state state)
{
	push(ctx, &(struct waiting_run){ .sid = e->sid,
					 .ended_s = e->at,
					 .began = e->began,
					 .was_refused = state == INDEX_FORWARD_REFUSED });
}

static void empty_queue(void *ctx)
{
	struct forward *f = ctx;

	f->first = f->count = 0;
}

/* What an index that cannot be read has is added at the next start. */
static void read_queue(struct forward *f)
{
	int error = index_db_read_waiting(f->dir, add_waiting, empty_queue, f);

	if (error && error != ENOENT)
		service_log(LOG_WARNING, "--forward: " INDEX_NAME ": %s", index_db_why(error));
}

/*
 * When it began: always from the index, so that a run that is sent twice has the same points. It
 * does not have those that it has lost.
 */
static void date_run(struct forward *f, struct waiting_run *run)
{
	struct index_db_finder *finder = index_db_finder_new(f->dir);
	struct index_entry e;

	if (index_db_finder_find(finder, run->sid, &e) == 0)
		run->began = e.began;
	index_db_finder_free(finder);
	run->began = run->began ? run->began : clock_s();
}

/* The first that is due, else the one that will be first; NULL: there is none. */
static struct waiting_run *first_due(const struct forward *f, uint64_t now)
{
	struct waiting_run *first = NULL;

	for (size_t i = f->first; i < f->first + f->count; i++) {
		if (!first || f->run[i].due_ns < first->due_ns)
			first = &f->run[i];
		if (first->due_ns <= now)
			break;
	}
	return first;
}

static void take_out(struct forward *f, struct waiting_run *run)
{
	struct waiting_run *end = f->run + f->first + --f->count;

	if (run == f->run + f->first)
		f->first = f->count ? f->first + 1 : 0;
	else
		memmove(run, run + 1, (size_t)(end - run) * sizeof(*run));
}

/* With the mutex held: until something has changed, or then. True: it is past that. */
static bool wait_until(struct forward *f, uint64_t then)
{
	const struct timespec until = monotonic_timespec(then);

	return pthread_cond_timedwait(&f->changed, &f->mutex, &until) == ETIMEDOUT;
}

/* Wait for a run that is due, and take it out of the queue. False: it is time to stop. */
static bool next_run(struct forward *f, struct waiting_run *run)
{
	pthread_mutex_lock(&f->mutex);
	f->sending = false;
	while (!f->stop) {
		uint64_t now = monotonic_ns();
		struct waiting_run *first = first_due(f, now);

		if (first && first->due_ns <= now) {
			*run = *first;
			take_out(f, first);
			f->sending = true;
			f->sent_ended_s = run->ended_s;
			break;
		}
		if (first)
			wait_until(f, first->due_ns);
		else
			pthread_cond_wait(&f->changed, &f->mutex);
	}
	pthread_mutex_unlock(&f->mutex);
	return f->sending;
}

/* To the end of the queue, for another try in so many seconds. */
static void put_back(struct forward *f, struct waiting_run *run, unsigned seconds)
{
	run->due_ns = monotonic_ns() + seconds * NS_PER_S;
	pthread_mutex_lock(&f->mutex);
	f->sending = false;
	push(f, run);
	pthread_mutex_unlock(&f->mutex);
}

/* The run that was sent is settled, and one more is among these. */
static void count(struct forward *f, uint64_t *runs)
{
	pthread_mutex_lock(&f->mutex);
	f->sending = false;
	++*runs;
	pthread_mutex_unlock(&f->mutex);
}

/* Sleep, but no longer than until the request to stop. */
static void wait_seconds(struct forward *f, unsigned seconds)
{
	uint64_t then = monotonic_ns() + seconds * NS_PER_S;

	pthread_mutex_lock(&f->mutex);
	while (!f->stop && !wait_until(f, then))
		;
	pthread_mutex_unlock(&f->mutex);
}

/* Points */

/* Run this program for the points, with its output to a pipe. 0 or an errno. */
static int spawn_points(const struct forward *f, const struct waiting_run *run, int out,
			pid_t *child)
{
	char file[4096], began[32];
	char *argv[] = { "noisefloor-collect", POINTS_NAME, began, file, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, pipe;
	int error;

	snprintf(file, sizeof(file), "%s/" STORE_PATTERN, f->setup.dir, run->sid);
	snprintf(began, sizeof(began), "%" PRIu64, run->began);
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
	const struct http_request r = { .type = "text/plain; charset=utf-8",
					.body = f->piece,
					.bytes = bytes,
					.seconds = POST_S,
					.most = ANSWER_BYTES,
					.cuts = true };
	struct http_answer a;

	http_post(f->http, &f->target, &r, &a);
	json_decref(engine_answer_load(&a, f->why));
	free(a.body);
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
	if (!f->reported)
		service_log(LOG_WARNING,
			    "--forward: %s:%s does not accept points; they wait in %s: %s",
			    f->target.host, f->target.port, f->setup.dir, f->why);
	f->reported = true;
}

static unsigned doubled(unsigned seconds, unsigned most)
{
	return !seconds ? WAIT_S : 2 * seconds < most ? 2 * seconds : most;
}

static void settle_refused(struct forward *f, struct waiting_run *run)
{
	bool is_new = !run->was_refused;
	uint64_t now = monotonic_ns();

	if (is_new)
		put_done(f, run->sid, INDEX_FORWARD_REFUSED);
	else
		put_state(f, run->sid, INDEX_FORWARD_REFUSED, REFUSED_S);
	put_here(f);
	run->was_refused = true;
	put_back(f, run, REFUSED_S);
	if (is_new)
		count(f, &f->counts.refused);
	/* Thousands may be rejected again in a row. */
	if (is_new || now >= f->quiet_until_ns)
		service_log(LOG_WARNING, "--forward: run %016" PRIx64 " was rejected: %s", run->sid,
			    f->why);
	if (!is_new)
		f->quiet_until_ns = now + QUIET_S * NS_PER_S;
	f->reported = false;
	f->wait_s = 0;
}

/* The run may be at fault, or the engine: others are tried at once, then at intervals. */
static void settle_later(struct forward *f, struct waiting_run *run)
{
	run->wait_s = doubled(run->wait_s, LATER_MAX_S);
	put_back(f, run, run->wait_s);
	put_state(f, run->sid, run->was_refused ? INDEX_FORWARD_REFUSED : INDEX_FORWARD_WAITING,
		  run->wait_s);
	if (f->wait_s)
		report_away(f);
	else
		service_log(LOG_WARNING,
			    "--forward: run %016" PRIx64 " waits for %u s, others go on: %s",
			    run->sid, run->wait_s, f->why);
	if (f->wait_s)
		put_away(f, f->wait_s);
	wait_seconds(f, f->wait_s);
	f->wait_s = doubled(f->wait_s, BUSY_MAX_S);
}

static void settle_away(struct forward *f, struct waiting_run *run)
{
	put_back(f, run, 0);
	f->wait_s = doubled(f->wait_s, AWAY_MAX_S);
	put_away(f, f->wait_s);
	report_away(f);
	wait_seconds(f, f->wait_s);
}

static void settle(struct forward *f, struct waiting_run *run, enum forward_result result)
{
	switch (result) {
	case FORWARD_TAKEN:
		put_done(f, run->sid, INDEX_FORWARD_ACCEPTED);
		put_here(f);
		count(f, &f->counts.taken);
		f->reported = false;
		f->wait_s = 0;
		break;
	case FORWARD_EMPTY:
		put_done(f, run->sid, INDEX_FORWARD_EMPTY);
		count(f, &f->counts.empty);
		break;
	case FORWARD_REFUSED:
		settle_refused(f, run);
		break;
	case FORWARD_LATER:
		settle_later(f, run);
		break;
	default:
		settle_away(f, run);
	}
}

static void *forward_all(void *ctx)
{
	struct forward *f = ctx;
	struct waiting_run run;

	signals_block();
	while (next_run(f, &run)) {
		if (!run.began)
			date_run(f, &run);
		settle(f, &run, forward_run(f, &run));
	}
	return NULL;
}

static bool start(struct forward *f)
{
	const char *to = f->setup.to;
	char shown[HTTP_SHOWN];

	if (strncmp(to, SCHEME, strlen(SCHEME)) != 0 ||
	    !http_target(to + strlen(SCHEME), &f->target)) {
		const char *why = http_unsupported(to);

		http_shown(to, shown);
		service_log(LOG_ERR, "--forward %s: %s", shown,
			    why ? why : "accepted: " FORWARD_FORMS);
		return false;
	}
	f->http = http_open("noisefloor-collect", f->setup.access, shown);
	if (!f->http) {
		service_log(LOG_ERR, "--forward: %s", shown);
		return false;
	}
	f->dir = open(f->setup.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->done = f->dir < 0 ? -1 : forwarded_open(f->dir);
	if (f->done >= 0)
		read_queue(f);
	if (f->done < 0 || pthread_create(&f->thread, NULL, forward_all, f) != 0) {
		service_log(LOG_ERR, "--forward: %s/" INDEX_FORWARDED ": %s", f->setup.dir,
			    strerror(errno));
		return false;
	}
	return true;
}

static void release(struct forward *f)
{
	if (f->done >= 0)
		close(f->done);
	if (f->dir >= 0)
		close(f->dir);
	http_close(f->http);
	free(f->run);
	free(f);
}

struct forward *forward_start(const struct forward_setup *setup)
{
	struct forward *f = calloc(1, sizeof(*f));
	pthread_condattr_t attributes;

	if (!f)
		return NULL;
	f->setup = *setup;
	f->dir = f->done = -1;
	pthread_mutex_init(&f->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&f->changed, &attributes);
	if (start(f))
		return f;
	release(f);
	return NULL;
}

void forward_quit(struct forward *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->mutex);
	f->stop = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
}

void forward_stop(struct forward *f)
{
	struct timespec until;

	if (!f)
		return;
	forward_quit(f);
	until = monotonic_timespec(monotonic_ns() + STOP_NS);
	/* A name server or an engine may be slow; the process ends without it. */
	if (pthread_clockjoin_np(f->thread, NULL, CLOCK_MONOTONIC, &until) == 0)
		release(f);
}

void forward_reopen(struct forward *f)
{
	f->reopen = true;
	pthread_mutex_lock(&f->mutex);
	for (size_t i = f->first; i < f->first + f->count; i++)
		f->run[i].due_ns = 0;
	pthread_cond_signal(&f->changed);
	pthread_mutex_unlock(&f->mutex);
}

struct forward_counts forward_counts(struct forward *f)
{
	struct forward_counts counts;

	pthread_mutex_lock(&f->mutex);
	counts = f->counts;
	counts.waiting = f->count + f->sending;
	counts.oldest_s = f->sending ? f->sent_ended_s : 0;
	for (size_t i = f->first; i < f->first + f->count; i++)
		if (!counts.oldest_s || f->run[i].ended_s < counts.oldest_s)
			counts.oldest_s = f->run[i].ended_s;
	pthread_mutex_unlock(&f->mutex);
	return counts;
}
