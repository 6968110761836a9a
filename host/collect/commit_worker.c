/* SPDX-License-Identifier: BSD-2-Clause */
/* A commit passes through three stages: given, appended, synced. */
#include "commit_worker.h"

#include "host/lib/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct commit_worker {
	void (*done)(void *ctx);
	void *ctx;
	pthread_t appender, syncer;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* What waits for the next thread; NULL: nothing. */
	struct receiver_commit *given, *appended, *synced;
	uint64_t given_count; /* ever */
	unsigned busy; /* given and not taken back; used only by the thread that gives and takes */
	bool stop;
};

/* With the mutex held: wait for the next commit there. NULL: stop. */
static struct receiver_commit *take_from(struct commit_worker *c, struct receiver_commit **from)
{
	struct receiver_commit *commit;

	while (!*from && !c->stop)
		pthread_cond_wait(&c->changed, &c->mutex);
	commit = c->stop ? NULL : *from;
	*from = NULL;
	pthread_cond_broadcast(&c->changed);
	return commit;
}

/* With the mutex held: wait for room. */
static void hand_on(struct commit_worker *c, struct receiver_commit **to,
		    struct receiver_commit *commit)
{
	while (*to && !c->stop)
		pthread_cond_wait(&c->changed, &c->mutex);
	*to = commit;
	pthread_cond_broadcast(&c->changed);
}

static void *append_commits(void *ctx)
{
	struct commit_worker *c = ctx;
	struct receiver_commit *commit;

	signals_block();
	pthread_mutex_lock(&c->mutex);
	while ((commit = take_from(c, &c->given))) {
		pthread_mutex_unlock(&c->mutex);
		receiver_append(commit);
		pthread_mutex_lock(&c->mutex);
		hand_on(c, &c->appended, commit);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

/*
 * The system reports a failed write only once, to the first sync after it. Everything given until
 * then may be what failed, and fails with it.
 */
static void *sync_commits(void *ctx)
{
	struct commit_worker *c = ctx;
	struct receiver_commit *commit;
	uint64_t number = 0, failed = 0; /* of commits; those up to `failed` fail */
	int error = 0;

	signals_block();
	pthread_mutex_lock(&c->mutex);
	while ((commit = take_from(c, &c->appended))) {
		int found;

		pthread_mutex_unlock(&c->mutex);
		found = receiver_sync(commit, number++ < failed ? error : 0);
		pthread_mutex_lock(&c->mutex);
		if (found) {
			error = found;
			failed = c->given_count;
		}
		hand_on(c, &c->synced, commit);
		c->done(c->ctx);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

static void stop(struct commit_worker *c)
{
	pthread_mutex_lock(&c->mutex);
	c->stop = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
}

struct commit_worker *commit_worker_new(void (*done)(void *ctx), void *ctx)
{
	struct commit_worker *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return NULL;
	c->done = done;
	c->ctx = ctx;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->changed, NULL);
	error = pthread_create(&c->appender, NULL, append_commits, c);
	if (!error) {
		error = pthread_create(&c->syncer, NULL, sync_commits, c);
		if (!error)
			return c;
		stop(c);
		pthread_join(c->appender, NULL);
	}
	free(c);
	errno = error;
	return NULL;
}

void commit_worker_free(struct commit_worker *c)
{
	if (!c)
		return;
	stop(c);
	pthread_join(c->appender, NULL);
	pthread_join(c->syncer, NULL);
	free(c);
}

void commit_worker_give(struct commit_worker *c, struct receiver_commit *commit)
{
	c->busy++;
	pthread_mutex_lock(&c->mutex);
	c->given_count++;
	hand_on(c, &c->given, commit);
	pthread_mutex_unlock(&c->mutex);
}

struct receiver_commit *commit_worker_take(struct commit_worker *c)
{
	struct receiver_commit *commit;

	pthread_mutex_lock(&c->mutex);
	commit = c->synced;
	c->synced = NULL;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
	c->busy -= commit != NULL;
	return commit;
}

bool commit_worker_has_room(const struct commit_worker *c)
{
	return c->busy < COMMIT_WORKER_MOST;
}

bool commit_worker_is_busy(const struct commit_worker *c)
{
	return c->busy > 0;
}

void commit_worker_wait(struct commit_worker *c)
{
	pthread_mutex_lock(&c->mutex);
	while (c->busy && !c->synced)
		pthread_cond_wait(&c->changed, &c->mutex);
	pthread_mutex_unlock(&c->mutex);
}
