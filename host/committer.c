/* SPDX-License-Identifier: BSD-2-Clause */
/* One commit goes in, and comes back. */
#include "committer.h"

#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct committer {
	void (*done)(void *ctx);
	void *ctx;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct receiver_commit *commit; /* that was given and not taken back */
	bool is_written, stop;
};

static void *write_commits(void *ctx)
{
	struct committer *c = ctx;

	signals_block();
	pthread_mutex_lock(&c->mutex);
	while (!c->stop) {
		if (!c->commit || c->is_written) {
			pthread_cond_wait(&c->changed, &c->mutex);
			continue;
		}
		pthread_mutex_unlock(&c->mutex);
		receiver_write(c->commit);
		pthread_mutex_lock(&c->mutex);
		c->is_written = true;
		pthread_cond_broadcast(&c->changed);
		c->done(c->ctx);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

struct committer *committer_new(void (*done)(void *ctx), void *ctx)
{
	struct committer *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return NULL;
	c->done = done;
	c->ctx = ctx;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->changed, NULL);
	error = pthread_create(&c->thread, NULL, write_commits, c);
	if (error) {
		free(c);
		errno = error;
		return NULL;
	}
	return c;
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
	pthread_mutex_lock(&c->mutex);
	c->commit = commit;
	c->is_written = false;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->mutex);
}

struct receiver_commit *committer_take(struct committer *c)
{
	struct receiver_commit *commit = NULL;

	pthread_mutex_lock(&c->mutex);
	if (c->is_written) {
		commit = c->commit;
		c->commit = NULL;
		c->is_written = false;
	}
	pthread_mutex_unlock(&c->mutex);
	return commit;
}

/* Only who gives and takes asks. */
bool committer_is_busy(const struct committer *c)
{
	return c->commit != NULL;
}

void committer_wait(struct committer *c)
{
	pthread_mutex_lock(&c->mutex);
	while (c->commit && !c->is_written)
		pthread_cond_wait(&c->changed, &c->mutex);
	pthread_mutex_unlock(&c->mutex);
}
