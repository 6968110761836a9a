/* SPDX-License-Identifier: BSD-2-Clause */
/* A list that the thread takes as a whole, and puts back if it could not be written. */
#define _GNU_SOURCE /* pthread_cond_clockwait */
#include "index_writer.h"

#include "index_whole.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define RETRY_NS NS_PER_S

struct index_writer {
	struct index_writer_setup setup; /* `db` NULL: it could not be opened */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct index_db_changes waiting;
	size_t count; /* of these, and of those that are being written */
	size_t runs;  /* those of them that are not about forwarding */
	unsigned held;
	bool busy, failed, stop, reopen, owes, is_claimed;
	bool lacks;       /* figures, perhaps */
	uint64_t fill_by; /* then they are made: monotonic_ns() */
	bool is_time;     /* for them */
};

static bool is_whole(const struct index_writer *w)
{
	return w->setup.is_whole && !w->runs && !w->failed && !w->owes && !w->held;
}

/* With the mutex held, whenever one of these has changed. */
static void claim(struct index_writer *w)
{
	if (is_whole(w) == w->is_claimed)
		return;
	w->is_claimed = !w->is_claimed;
	index_whole_claim(w->setup.lock, w->is_claimed);
}

/* ---- Its thread ---- */

static int open_again(struct index_writer *w)
{
	int error;

	index_db_let_go(w->setup.db);
	error = index_db_open(w->setup.dir, w->setup.forwards, &w->setup.db);
	if (!error && index_db_was_made(w->setup.db)) {
		pthread_mutex_lock(&w->mutex);
		w->owes = true;
		claim(w);
		pthread_mutex_unlock(&w->mutex);
	}
	return error;
}

/* One that was removed, or replaced, is none. */
static int write_changes(struct index_writer *w, const struct index_db_changes *c, bool reopen)
{
	int error = 0;

	if (!w->setup.db || reopen || !index_db_is_there(w->setup.db))
		error = open_again(w);
	error = error ? error : index_db_write(w->setup.db, c);
	if (error != INDEX_DB_DAMAGED)
		return error;
	w->setup.state(w->setup.ctx, error);
	error = open_again(w);
	return error ? error : index_db_write(w->setup.db, c);
}

/* False: they are kept for another try. */
static bool report(const struct index_writer *w, int error)
{
	if (!error == w->failed)
		w->setup.state(w->setup.ctx, error);
	return !error;
}

static void drop_all(struct index_db_changes *c)
{
	struct index_db_change *one;

	while ((one = STAILQ_FIRST(c))) {
		STAILQ_REMOVE_HEAD(c, next);
		free(one);
	}
}

static void settle(struct index_writer *w, struct index_db_changes *c)
{
	struct index_db_change *one;

	for (one = STAILQ_FIRST(c); one; one = STAILQ_NEXT(one, next))
		if (one->is_news)
			w->setup.written(w->setup.ctx, &one->entry);
	drop_all(c);
}

/* With the mutex held: until something has changed, or then. True: it is past that. */
static bool wait_until(struct index_writer *w, uint64_t then)
{
	const struct timespec until = monotonic_timespec(then);

	return pthread_cond_clockwait(&w->changed, &w->mutex, CLOCK_MONOTONIC, &until) != 0;
}

/* With the mutex held: until there is something to do. */
static void await(struct index_writer *w)
{
	uint64_t begun = monotonic_ns(), quiet = begun + w->setup.quiet_ns;

	while (!w->stop && w->failed && !wait_until(w, begun + RETRY_NS))
		;
	quiet = quiet < w->fill_by ? quiet : w->fill_by;
	while (!w->stop && !w->failed && !w->count && !w->reopen && !(w->lacks && w->is_time)) {
		if (w->lacks)
			w->is_time = wait_until(w, quiet);
		else
			pthread_cond_wait(&w->changed, &w->mutex);
	}
}

/* With the mutex held, but while it writes. */
static void write_waiting(struct index_writer *w)
{
	struct index_db_changes taken = STAILQ_HEAD_INITIALIZER(taken);
	size_t count = w->count, runs = w->runs;
	bool reopen = w->reopen, is_written;

	STAILQ_CONCAT(&taken, &w->waiting);
	w->busy = true;
	w->reopen = false;
	pthread_mutex_unlock(&w->mutex);
	is_written = report(w, write_changes(w, &taken, reopen));
	if (is_written)
		settle(w, &taken);
	pthread_mutex_lock(&w->mutex);
	w->count -= is_written ? count : 0;
	w->runs -= is_written ? runs : 0;
	STAILQ_CONCAT(&taken, &w->waiting);
	STAILQ_CONCAT(&w->waiting, &taken);
	w->failed = !is_written;
	if (is_written && !w->lacks)
		w->fill_by = monotonic_ns() + w->setup.put_off_ns;
	w->lacks |= is_written;
	w->is_time = false;
	w->busy = false;
	claim(w);
	pthread_cond_broadcast(&w->changed);
}

/* With the mutex held, but while it reads. What fails is tried again after the next change. */
static void fill_some(struct index_writer *w)
{
	bool more = false;
	int error;

	pthread_mutex_unlock(&w->mutex);
	error = w->setup.db ? index_db_fill(w->setup.db, w->setup.figures, w->setup.ctx, &more) : 0;
	pthread_mutex_lock(&w->mutex);
	w->lacks = more && !error;
}

static void *write_all(void *ctx)
{
	struct index_writer *w = ctx;

	signals_block();
	pthread_mutex_lock(&w->mutex);
	do {
		await(w);
		if (w->count || w->reopen)
			write_waiting(w);
		else if (w->lacks && !w->stop)
			fill_some(w);
	} while (!w->stop || (w->count && !w->failed));
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

/* ---- Its owner ---- */

struct index_writer *index_writer_new(const struct index_writer_setup *setup)
{
	struct index_writer *w = calloc(1, sizeof(*w));
	int error = ENOMEM;

	if (w) {
		w->setup = *setup;
		w->lacks = true;
		w->fill_by = monotonic_ns() + setup->put_off_ns;
		STAILQ_INIT(&w->waiting);
		pthread_mutex_init(&w->mutex, NULL);
		pthread_cond_init(&w->changed, NULL);
		error = pthread_create(&w->thread, NULL, write_all, w);
	}
	if (!error) {
		index_writer_hold(w);
		index_writer_release(w);
		return w;
	}
	index_db_close(setup->db);
	free(w);
	errno = error;
	return NULL;
}

void index_writer_free(struct index_writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->mutex);
	w->stop = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
	drop_all(&w->waiting);
	index_db_close(w->setup.db);
	if (w->setup.db && is_whole(w))
		index_whole_mark(w->setup.dir);
	index_whole_claim(w->setup.lock, false);
	free(w);
}

static bool is_of_run(const struct index_db_change *c)
{
	return c->what == INDEX_DB_PUT || c->what == INDEX_DB_GONE;
}

static bool add(struct index_writer *w, const struct index_db_change *change)
{
	struct index_db_change *c;

	pthread_mutex_lock(&w->mutex);
	c = w->count < INDEX_WRITER_MOST ? malloc(sizeof(*c)) : NULL;
	if (c) {
		*c = *change;
		STAILQ_INSERT_TAIL(&w->waiting, c, next);
		w->count++;
		w->runs += is_of_run(c);
		pthread_cond_broadcast(&w->changed);
	} else if (is_of_run(change)) {
		w->owes = true;
	} else {
		/* Then it is by DIR/forwarded again. */
		w->reopen = true;
	}
	claim(w);
	pthread_mutex_unlock(&w->mutex);
	return c;
}

void index_writer_put(struct index_writer *w, const struct index_entry *e, bool is_news)
{
	const struct index_db_change change = { .entry = *e, .is_news = is_news };

	if (!add(w, &change) && is_news)
		w->setup.written(w->setup.ctx, e);
}

void index_writer_drop(struct index_writer *w, uint64_t sid)
{
	add(w, &(struct index_db_change){ .what = INDEX_DB_GONE, .entry = { .sid = sid } });
}

void index_writer_forward(struct index_writer *w, const struct index_forward *state, bool all)
{
	add(w, &(struct index_db_change){ .what = all ? INDEX_DB_FORWARD_ALL : INDEX_DB_FORWARD,
					  .forward = *state });
}

static void hold(struct index_writer *w, unsigned more)
{
	pthread_mutex_lock(&w->mutex);
	w->held += more;
	claim(w);
	pthread_mutex_unlock(&w->mutex);
}

void index_writer_hold(struct index_writer *w)
{
	hold(w, 1);
}

void index_writer_release(struct index_writer *w)
{
	hold(w, -1U);
}

void index_writer_reopen(struct index_writer *w)
{
	pthread_mutex_lock(&w->mutex);
	w->reopen = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}

void index_writer_flush(struct index_writer *w)
{
	pthread_mutex_lock(&w->mutex);
	while ((w->busy || w->count || w->reopen) && !w->failed)
		pthread_cond_wait(&w->changed, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

bool index_writer_owes(struct index_writer *w)
{
	bool owes;

	pthread_mutex_lock(&w->mutex);
	owes = w->owes && !w->failed && !w->count;
	if (owes) {
		w->owes = false;
		w->held++;
	}
	pthread_mutex_unlock(&w->mutex);
	return owes;
}
