/* SPDX-License-Identifier: BSD-2-Clause */
/* One commit passes back and forth. */
#include "committer.h"

#include "host/lib/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct committer {
	void (*done)(void *ctx);
	void *ctx;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct receiver_commit *given, *written; /* NULL: none */
	bool is_busy;                            /* used only by the thread that gives and takes */
	bool stop;
};

static void *write_commits(void *ctx)
{
	struct committer *c = ctx;

	signals_block();
	pthread_mutex_lock(&c->mutex);
	while (!c->stop) {
		struct receiver_commit *commit = c->given;

		if (!commit) {
			pthread_cond_wait(&c->changed, &c->mutex);
			continue;
		}
		pthread_mutex_unlock(&c->mutex);
		receiver_write(commit);
		pthread_mutex_lock(&c->mutex);
		c->given = NULL;
		c->written = commit;
		pthread_cond_broadcast(&c->changed);
		c->done(c->ctx);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

struct committer *committer_new(void (*done)(void *ctx), void *ctx)
{
	struct committer *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->done = done;
	c->ctx = ctx;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->changed, NULL);
	errno = pthread_create(&c->thread, NULL, write_commits, c);
	if (!errno)
		return c;
	free(c);
	return NULL;
}

void committer_free(struct committer *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->mutex);
	c->stop = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
	pthread_join(c->thread, NULL);
	free(c);
}

void committer_give(struct committer *c, struct receiver_commit *commit)
{
	c->is_busy = true;
	pthread_mutex_lock(&c->mutex);
	c->given = commit;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
}

struct receiver_commit *committer_take(struct committer *c)
{
	struct receiver_commit *commit;

	pthread_mutex_lock(&c->mutex);
	commit = c->written;
	c->written = NULL;
	pthread_mutex_unlock(&c->mutex);
	c->is_busy = c->is_busy && !commit;
	return commit;
}

bool committer_is_busy(const struct committer *c)
{
	return c->is_busy;
}

void committer_wait(struct committer *c)
{
	pthread_mutex_lock(&c->mutex);
	while (c->is_busy && !c->written)
		pthread_cond_wait(&c->changed, &c->mutex);
	pthread_mutex_unlock(&c->mutex);
}
