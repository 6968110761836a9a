/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that turns one run at a time into points, and posts these in pieces. */
#define _GNU_SOURCE /* pipe2, memrchr, pthread_clockjoin_np */
#include "forward.h"

#include "host/lib/exit.h"
#include "points.h"
#include "service.h"
#include "host/lib/memory.h"
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

#define DONE_NAME "forwarded"
#define SCHEME    "influx:"

#define PIECE_BYTES ((size_t)1 << 20) /* of one request, up to its last complete line */
#define WAIT_S      1                 /* after an engine was unreachable, doubled up to */
#define WAIT_MAX_S  60
#define POST_S      30 /* for one request */
#define NS_IN_S     1000000000L
#define STOP_NS     500000000L /* for what is being sent */

extern char **environ;

struct waiting_run {
	uint64_t sid;
	uint64_t began; /* s since 1970, by the index; 0: not looked up yet */
};

struct forward {
	struct http *http;
	struct http_target target;
	char *path;
	int dir, done;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool stop;
	_Atomic bool reopen;     /* `done`, before it is written */
	struct waiting_run *run; /* a queue, the oldest first */
	size_t first, count;
	struct forward_counts counts; /* but for those waiting */
	bool reported;                /* that the engine is unreachable */
	char piece[PIECE_BYTES];
};

/* The list of those that are done */

int forward_read_done(int dir, struct index_sids *done)
{
	int fd = openat(dir, DONE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), error = 0;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	uint64_t sid, *more;
	char line[64];

	*done = (struct index_sids){ .sid = NULL };
	if (!in) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while (fgets(line, sizeof(line), in)) {
		/* Neither a torn line nor one that was terminated later. */
		if (sscanf(line, "%16" SCNx64, &sid) != 1 || strcspn(line, " ") != 16 ||
		    !strchr(line, '\n'))
			continue;
		more = memory_try_grow(done->sid, done->count, sizeof(*more));
		if (!more) {
			error = ENOMEM;
			break;
		}
		done->sid = more;
		done->sid[done->count++] = sid;
	}
	fclose(in);
	index_sids_sort(done);
	return error;
}

static void write_done(struct forward *f, uint64_t sid, const char *how)
{
	char line[64];
	int bytes = snprintf(line, sizeof(line), "%016" PRIx64 " %s\n", sid, how);

	if (atomic_exchange(&f->reopen, false)) {
		close(f->done);
		f->done = index_open(f->dir, DONE_NAME);
	}
	if (write(f->done, line, (size_t)bytes) != bytes || fdatasync(f->done) != 0)
		service_log(LOG_ERR, DONE_NAME ": %s", strerror(errno));
}

/* The queue */

static void push(struct forward *f, uint64_t sid, uint64_t began)
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
	f->run[f->first + f->count++] = (struct waiting_run){ sid, began };
	pthread_cond_signal(&f->changed);
}

void forward_add(struct forward *f, uint64_t sid)
{
	pthread_mutex_lock(&f->mutex);
	push(f, sid, 0);
	pthread_mutex_unlock(&f->mutex);
}

static bool read_queue(struct forward *f)
{
	struct index_table table;
	struct index_sids done;
	int error = forward_read_done(f->dir, &done);

	if (!error)
		error = index_read(f->dir, &table);
	for (size_t i = 0; !error && i < table.count; i++) {
		const struct index_entry *e = &table.entry[i];

		if (e->summary.ended && !index_sids_have(&done, e->sid))
			push(f, e->sid, e->began);
	}
	if (!error)
		index_free(&table);
	free(done.sid);
	errno = error;
	return !error;
}

/*
 * When each waiting run began: always from the index, so that a run that is sent twice has the same
 * points. The index is read once for all of them.
 */
static void date_runs(struct forward *f)
{
	uint64_t now = (uint64_t)time(NULL);
	struct index_table table;

	index_read(f->dir, &table);
	pthread_mutex_lock(&f->mutex);
	for (size_t i = f->first; i < f->first + f->count; i++) {
		const struct index_entry *e = index_find(&table, f->run[i].sid);

		if (!f->run[i].began)
			f->run[i].began = e && e->began ? e->began : now;
	}
	pthread_mutex_unlock(&f->mutex);
	index_free(&table);
}

static bool peek(struct forward *f, struct waiting_run *run)
{
	pthread_mutex_lock(&f->mutex);
	while (!f->count && !f->stop)
		pthread_cond_wait(&f->changed, &f->mutex);
	if (!f->stop)
		*run = f->run[f->first];
	pthread_mutex_unlock(&f->mutex);
	return !f->stop;
}

static void drop_first(struct forward *f, uint64_t *counter)
{
	pthread_mutex_lock(&f->mutex);
	f->first++;
	f->count--;
	if (!f->count)
		f->first = 0;
	++*counter;
	pthread_mutex_unlock(&f->mutex);
}

/* Sleep, but no longer than until the request to stop. */
static void wait_seconds(struct forward *f, unsigned seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	pthread_mutex_lock(&f->mutex);
	while (!f->stop && pthread_cond_timedwait(&f->changed, &f->mutex, &until) != ETIMEDOUT)
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

	snprintf(file, sizeof(file), "%s/" STORE_PATTERN, f->path, run->sid);
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
					.seconds = POST_S };
	struct http_answer a;

	http_post(f->http, &f->target, &r, &a);
	return forward_result(a.status);
}

/* Until the writer closes its end. A run without a point has nothing to forward. */
static enum forward_result post_all(struct forward *f, int in)
{
	enum forward_result result = FORWARD_REFUSED;
	size_t used = 0, bytes;

	do {
		used = fill_piece(f, used, in);
		bytes = whole_lines(f->piece, used);
		if (!bytes)
			return used ? FORWARD_REFUSED : result;
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
	return is_complete(status) ? result : FORWARD_AWAY;
}

static void report_away(struct forward *f)
{
	if (!f->reported)
		service_log(LOG_WARNING, "--forward: %s:%s does not accept points; they wait in %s",
			    f->target.host, f->target.port, f->path);
	f->reported = true;
}

static void *forward_all(void *ctx)
{
	struct forward *f = ctx;
	struct waiting_run run;
	unsigned wait_s = WAIT_S;

	signals_block();
	while (peek(f, &run)) {
		if (!run.began) {
			date_runs(f);
			continue;
		}
		switch (forward_run(f, &run)) {
		case FORWARD_TAKEN:
			write_done(f, run.sid, "taken");
			drop_first(f, &f->counts.taken);
			wait_s = WAIT_S;
			f->reported = false;
			break;
		case FORWARD_REFUSED:
			service_log(LOG_WARNING, "--forward: run %016" PRIx64 " was rejected",
				    run.sid);
			write_done(f, run.sid, "refused");
			drop_first(f, &f->counts.refused);
			break;
		default:
			report_away(f);
			wait_seconds(f, wait_s);
			wait_s = 2 * wait_s < WAIT_MAX_S ? 2 * wait_s : WAIT_MAX_S;
		}
	}
	return NULL;
}

static bool start(struct forward *f, const char *to, const char *dir,
		  const struct http_access *access)
{
	char shown[HTTP_SHOWN];

	if (strncmp(to, SCHEME, strlen(SCHEME)) != 0 ||
	    !http_target(to + strlen(SCHEME), &f->target)) {
		const char *why = http_unsupported(to);

		http_shown(to, shown);
		service_log(LOG_ERR, "--forward %s: %s", shown,
			    why ? why : "accepted: " FORWARD_FORMS);
		return false;
	}
	f->http = http_open(access, shown);
	if (!f->http) {
		service_log(LOG_ERR, "--forward: %s", shown);
		return false;
	}
	f->path = strdup(dir);
	f->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->done = f->dir < 0 ? -1 : index_open(f->dir, DONE_NAME);
	if (!f->path || f->done < 0 || !read_queue(f) ||
	    pthread_create(&f->thread, NULL, forward_all, f) != 0) {
		service_log(LOG_ERR, "--forward: %s/" DONE_NAME ": %s", dir, strerror(errno));
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
	free(f->path);
	free(f->run);
	free(f);
}

struct forward *forward_start(const char *to, const char *dir, const struct http_access *access)
{
	struct forward *f = calloc(1, sizeof(*f));
	pthread_condattr_t attributes;

	if (!f)
		return NULL;
	f->dir = f->done = -1;
	pthread_mutex_init(&f->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&f->changed, &attributes);
	if (start(f, to, dir, access))
		return f;
	release(f);
	return NULL;
}

void forward_stop(struct forward *f)
{
	struct timespec until;

	if (!f)
		return;
	pthread_mutex_lock(&f->mutex);
	f->stop = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += STOP_NS;
	if (until.tv_nsec >= NS_IN_S) {
		until.tv_sec++;
		until.tv_nsec -= NS_IN_S;
	}
	/* A name server or an engine may be slow; the process ends without it. */
	if (pthread_clockjoin_np(f->thread, NULL, CLOCK_MONOTONIC, &until) == 0)
		release(f);
}

void forward_reopen(struct forward *f)
{
	f->reopen = true;
}

struct forward_counts forward_counts(struct forward *f)
{
	struct forward_counts counts;

	pthread_mutex_lock(&f->mutex);
	counts = f->counts;
	counts.waiting = f->count;
	pthread_mutex_unlock(&f->mutex);
	return counts;
}
