/* SPDX-License-Identifier: BSD-2-Clause */
/* It looks for what has no figures, whoever has stored it. */
#include "figures_worker.h"

#include "service/service.h"

#include "host/fleet/run_figures.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include "core/lib/ticks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_NS   (1 * NS_PER_S)
#define PUT_OFF_NS (60 * NS_PER_S)
#define RUNS_EACH  64 /* of a transaction */

struct figures_worker {
	struct store *store;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint64_t first_ns, last_ns; /* commits that are not looked at; 0: there are none */
	bool stop;
};

/* With the mutex held. */
static void wait_until(struct figures_worker *w, uint64_t then)
{
	const struct timespec until = monotonic_timespec(then);

	pthread_cond_timedwait(&w->changed, &w->mutex, &until);
}

/* False: it is time to stop. */
static bool wait_for_quiet(struct figures_worker *w)
{
	bool is_due = false;

	pthread_mutex_lock(&w->mutex);
	while (!w->stop && !is_due) {
		uint64_t now = monotonic_ns();

		is_due = w->first_ns &&
			 (now - w->last_ns >= QUIET_NS || now - w->first_ns >= PUT_OFF_NS);
		if (!w->first_ns)
			pthread_cond_wait(&w->changed, &w->mutex);
		else if (!is_due)
			wait_until(w, w->last_ns + QUIET_NS);
	}
	w->first_ns = 0;
	is_due = !w->stop;
	pthread_mutex_unlock(&w->mutex);
	return is_due;
}

static bool should_stop(struct figures_worker *w)
{
	bool stop;

	pthread_mutex_lock(&w->mutex);
	stop = w->stop;
	pthread_mutex_unlock(&w->mutex);
	return stop;
}

static void *work(void *ctx)
{
	struct figures_worker *w = ctx;

	signals_block();
	while (wait_for_quiet(w)) {
		unsigned count = 1;
		int error = 0;

		while (count && !error && !should_stop(w))
			error = run_figures_fill(w->store, RUNS_EACH, &count);
		if (error)
			service_log(LOG_ERR, STORE_NAME ": figures: %s", store_why(error));
	}
	return NULL;
}

struct figures_worker *figures_worker_start(const char *folder)
{
	struct figures_worker *w = calloc(1, sizeof(*w));
	char why[STORE_WHY] = "";
	pthread_condattr_t attributes;

	if (!w)
		return NULL;
	w->first_ns = w->last_ns = monotonic_ns();
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attributes);
	w->store = store_open(folder, STORE_WRITE, why);
	if (w->store && pthread_create(&w->thread, NULL, work, w) == 0)
		return w;
	service_log(LOG_ERR, "%s", *why && !w->store ? why : strerror(EAGAIN));
	store_close(w->store);
	free(w);
	return NULL;
}

void figures_worker_stop(struct figures_worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->mutex);
	w->stop = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
	store_close(w->store);
	free(w);
}

void figures_worker_wake(struct figures_worker *w)
{
	pthread_mutex_lock(&w->mutex);
	w->last_ns = monotonic_ns();
	w->first_ns = w->first_ns ? w->first_ns : w->last_ns;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}
