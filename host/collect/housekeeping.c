/* SPDX-License-Identifier: BSD-2-Clause */
/* Housekeeping works in short transactions, so that no commit waits for long. */
#include "housekeeping.h"

#include "service/service.h"

#include "host/fleet/run_figures.h"
#include "host/lib/memory.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include "core/lib/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_NS   (1 * NS_PER_S)
#define PUT_OFF_NS (60 * NS_PER_S)
#define KEEP_NS    (600 * NS_PER_S)
#define AGAIN_NS   (10 * NS_PER_S) /* until --keep is tried again after an error */
#define RUNS_EACH  64              /* runs per transaction */

struct housekeeping {
	struct housekeeping_setup setup;
	struct store *store;
	struct retention_clock clock;
	bool is_quiet; /* a silence longer than --keep allows was logged */
	pthread_t thread;
	pthread_mutex_t mutex; /* protects the members below */
	pthread_cond_t changed;
	uint64_t first_ns, last_ns; /* first and last commit since figures were filled; 0: none */
	uint64_t keep_ns;           /* time at which --keep is due; UINT64_MAX: never */
	struct retention_run *removed;
	size_t count;
	bool stop;
};

static uint64_t figures_due(const struct housekeeping *h)
{
	return h->first_ns ? arith_min(h->last_ns + QUIET_NS, h->first_ns + PUT_OFF_NS)
			   : UINT64_MAX;
}

/* Wait until figures or --keep are due. False: the thread has to stop. */
static bool wait_for_work(struct housekeeping *h, bool *figures, bool *keep)
{
	uint64_t now = monotonic_ns(), due;
	bool stop;

	pthread_mutex_lock(&h->mutex);
	while (!h->stop && (due = arith_min(figures_due(h), h->keep_ns)) > now) {
		const struct timespec until = monotonic_timespec(arith_min(due, now + PUT_OFF_NS));

		pthread_cond_timedwait(&h->changed, &h->mutex, &until);
		now = monotonic_ns();
	}
	*figures = figures_due(h) <= now;
	*keep = h->keep_ns <= now;
	h->first_ns = *figures ? 0 : h->first_ns;
	h->keep_ns = *keep ? now + KEEP_NS : h->keep_ns;
	stop = h->stop;
	pthread_mutex_unlock(&h->mutex);
	return !stop;
}

static bool should_stop(struct housekeeping *h)
{
	bool stop;

	pthread_mutex_lock(&h->mutex);
	stop = h->stop;
	pthread_mutex_unlock(&h->mutex);
	return stop;
}

static void fill_figures(struct housekeeping *h)
{
	unsigned count = 1;
	int error = 0;

	while (count && !error && !should_stop(h))
		error = run_figures_fill(h->store, RUNS_EACH, &count);
	if (error)
		service_log(LOG_ERR, STORE_NAME ": figures: %s", store_why(error));
}

/* ---- --keep ---- */

/* CLOCK_BOOTTIME includes the time that the system was suspended. */
static bool believes_clock(struct housekeeping *h)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (retention_believes(&h->clock, (uint64_t)time(NULL), (uint64_t)boot.tv_sec))
		return true;
	service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
	return false;
}

static void report(struct housekeeping *h, const struct retention_choice *choice)
{
	if (choice->over)
		service_log(LOG_WARNING,
			    "--keep: %" PRIu64 " bytes too many, of runs that have not ended, are "
			    "not forwarded, ended within 2 h, or are the latest of a machine",
			    choice->over);
	if (choice->quiet_s && !h->is_quiet)
		service_log(LOG_WARNING,
			    "--keep: nothing was received for %" PRIu64 " h, or the clock has "
			    "jumped: a quarter of the limit counts",
			    choice->quiet_s / 3600);
	h->is_quiet = choice->quiet_s;
}

static void note_removed(struct housekeeping *h, const struct retention_run *run)
{
	pthread_mutex_lock(&h->mutex);
	*MEMORY_ADD(h->removed, h->count) = *run;
	pthread_mutex_unlock(&h->mutex);
	if (!h->setup.quiet)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " removed",
			    *run->uuid ? run->uuid : "unknown", run->sid);
}

/* Add the runs that were removed to *gone. */
static int remove_some(struct housekeeping *h, struct retention_run *run, size_t count,
		       struct retention_choice *gone)
{
	int error = store_begin(h->store);

	if (error)
		return error;
	for (size_t i = 0; i < count && !error; i++) {
		error = store_remove(h->store, run[i].id, run[i].bytes);
		/* STORE_CHANGED: lines came meanwhile, so the run stays. */
		if (error == STORE_CHANGED) {
			run[i].id = 0;
			error = 0;
		}
	}
	error = store_end(h->store, error);
	for (size_t i = 0; i < count && !error; i++) {
		if (!run[i].id)
			continue;
		note_removed(h, &run[i]);
		gone->count++;
		gone->bytes += run[i].bytes;
	}
	return error;
}

/* Sweep all removed lines, also those that an earlier process has left. */
static int sweep(struct housekeeping *h)
{
	bool more = true;
	int error = 0;

	while (more && !error && !should_stop(h)) {
		error = store_begin(h->store);
		if (!error)
			error = store_end(h->store, store_sweep(h->store, &more));
	}
	return error;
}

static int remove_all(struct housekeeping *h)
{
	const struct retention_question q = { .limits = h->setup.keep,
					      .now = (uint64_t)time(NULL),
					      .must_forward = h->setup.must_forward };
	struct retention_choice choice, gone = { 0 };
	int error = retention_choose(h->store, &q, &choice);

	if (!error)
		report(h, &choice);
	for (size_t i = 0; i < choice.count && !error && !should_stop(h); i += RUNS_EACH)
		error = remove_some(h, choice.run + i, arith_min(RUNS_EACH, choice.count - i),
				    &gone);
	if (gone.count)
		service_log(LOG_INFO, "--keep: %zu runs removed, %" PRIu64 " bytes", gone.count,
			    gone.bytes);
	free(choice.run);
	return error ? error : sweep(h);
}

static void keep(struct housekeeping *h)
{
	int error = believes_clock(h) ? remove_all(h) : 0;

	if (!error)
		return;
	service_log(LOG_ERR, "--keep: " STORE_NAME ": %s", store_why(error));
	pthread_mutex_lock(&h->mutex);
	h->keep_ns = monotonic_ns() + AGAIN_NS;
	pthread_mutex_unlock(&h->mutex);
}

/* ---- The thread ---- */

static void *work(void *ctx)
{
	struct housekeeping *h = ctx;
	bool figures_are_due, keep_is_due;

	signals_block();
	while (wait_for_work(h, &figures_are_due, &keep_is_due)) {
		if (keep_is_due)
			keep(h);
		if (figures_are_due)
			fill_figures(h);
	}
	return NULL;
}

struct housekeeping *housekeeping_start(const struct housekeeping_setup *setup)
{
	struct housekeeping *h = calloc(1, sizeof(*h));
	char why[STORE_WHY] = "";

	if (!h) {
		service_log(LOG_ERR, "%s", strerror(ENOMEM));
		return NULL;
	}
	h->setup = *setup;
	h->first_ns = h->last_ns = monotonic_ns();
	h->keep_ns = setup->keep.age_s || setup->keep.bytes ? 0 : UINT64_MAX;
	pthread_mutex_init(&h->mutex, NULL);
	monotonic_cond_init(&h->changed);
	h->store = store_open(setup->folder, STORE_WRITE, why);
	if (h->store && pthread_create(&h->thread, NULL, work, h) == 0)
		return h;
	service_log(LOG_ERR, "%s", h->store ? strerror(EAGAIN) : why);
	store_close(h->store);
	free(h);
	return NULL;
}

void housekeeping_stop(struct housekeeping *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->mutex);
	h->stop = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
	pthread_join(h->thread, NULL);
	store_close(h->store);
	free(h->removed);
	free(h);
}

void housekeeping_wake(struct housekeeping *h)
{
	pthread_mutex_lock(&h->mutex);
	h->last_ns = monotonic_ns();
	h->first_ns = h->first_ns ? h->first_ns : h->last_ns;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
}

void housekeeping_keep(struct housekeeping *h)
{
	pthread_mutex_lock(&h->mutex);
	h->keep_ns = h->keep_ns == UINT64_MAX ? UINT64_MAX : 0;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
}

size_t housekeeping_take(struct housekeeping *h, struct retention_run **removed)
{
	size_t count;

	pthread_mutex_lock(&h->mutex);
	*removed = h->removed;
	count = h->count;
	h->removed = NULL;
	h->count = 0;
	pthread_mutex_unlock(&h->mutex);
	return count;
}
