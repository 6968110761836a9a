/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread for each question: there is one in minutes. */
#include "keep_worker.h"

#include "host/lib/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct keep_worker {
	struct keep_question q;
	pthread_t thread;
	_Atomic bool stop, done;
	struct keep_choice choice;
	int error;
};

static void *work(void *ctx)
{
	struct keep_worker *w = ctx;

	signals_block();
	w->error = keep_choose(&w->q, &w->choice);
	atomic_store(&w->done, true);
	return NULL;
}

struct keep_worker *keep_worker_new(const struct keep_question *q)
{
	struct keep_worker *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		return NULL;
	w->q = *q;
	w->q.stop = &w->stop;
	error = pthread_create(&w->thread, NULL, work, w);
	if (!error)
		return w;
	free(w);
	errno = error;
	return NULL;
}

bool keep_worker_is_done(const struct keep_worker *w)
{
	return atomic_load(&w->done);
}

int keep_worker_end(struct keep_worker *w, struct keep_choice *choice)
{
	int error;

	*choice = (struct keep_choice){ .count = 0 };
	if (!w)
		return 0;
	atomic_store(&w->stop, true);
	pthread_join(w->thread, NULL);
	error = w->error;
	*choice = w->choice;
	free(w);
	return error;
}
