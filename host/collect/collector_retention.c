/* SPDX-License-Identifier: BSD-2-Clause */
/* What is received waits for none of it: another thread chooses and removes. */
#include "collector.h"

#include "host/lib/monotonic.h"
#include "service/service.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* From one choice to the next. */
#define CHOOSE_NS (600 * NS_PER_S)

/* After one that failed. */
#define AGAIN_NS (10 * NS_PER_S)

/* The time of a suspended system counts, too. */
static bool believes_clock(struct collector_retention *k)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (retention_believes(&k->clock, (uint64_t)time(NULL), (uint64_t)boot.tv_sec))
		return true;
	service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
	return false;
}

static void begin(struct collector *c)
{
	struct collector_retention *k = &c->retention;
	const struct retention_question q = { .limits = k->limits,
					      .now = (uint64_t)time(NULL),
					      .must_forward = c->forward };

	k->due_ns = monotonic_ns() + CHOOSE_NS;
	if (!believes_clock(k))
		return;
	k->worker = retention_start(c->dir, &q);
	if (!k->worker)
		service_log(LOG_ERR, "--keep: %s", strerror(errno));
}

/* One that something is to be written to, or acknowledged of, stays. */
static bool release(struct collector *c, struct retention_run *run)
{
	struct receiver_stored s = { .uuid = run->uuid,
				     .is_own = run->is_own,
				     .bytes = run->bytes };

	if (!receiver_release(c->receiver, run->sid)) {
		run->id = 0;
		return false;
	}
	udp_queue_parse_address(run->host, &s.from);
	receiver_remove_stored(c->receiver, &s);
	if (!c->quiet)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " removed",
			    *run->uuid ? run->uuid : "unknown", run->sid);
	return true;
}

static void report(struct collector_retention *k, const struct retention_choice *choice)
{
	if (choice->over)
		service_log(LOG_WARNING,
			    "--keep: %" PRIu64 " bytes too many, of runs that have not ended, are "
			    "not forwarded, ended within 2 h, or are the latest of a machine",
			    choice->over);
	if (choice->quiet_s && !k->is_quiet)
		service_log(LOG_WARNING,
			    "--keep: nothing was received for %" PRIu64 " h, or the clock has "
			    "jumped: a quarter of the limit counts",
			    choice->quiet_s / 3600);
	k->is_quiet = choice->quiet_s;
}

static void take_choice(struct collector *c, struct retention_choice *choice)
{
	size_t gone = 0;

	report(&c->retention, choice);
	for (size_t i = 0; i < choice->count; i++)
		gone += release(c, &choice->run[i]);
	if (choice->count)
		service_log(LOG_INFO, "--keep: %zu runs removed, %" PRIu64 " bytes", gone,
			    choice->bytes);
	c->nodes.changed = true;
	retention_remove(c->retention.worker);
}

static void fail(struct collector *c, int error)
{
	service_log(LOG_ERR, "--keep: " STORE_NAME ": %s; nothing is removed", store_why(error));
	c->retention.due_ns = monotonic_ns() + AGAIN_NS;
}

void collector_retain(struct collector *c)
{
	struct collector_retention *k = &c->retention;
	struct retention_choice *choice;
	int error;

	if (!k->limits.age_s && !k->limits.bytes)
		return;
	if (!k->worker && monotonic_ns() >= k->due_ns)
		begin(c);
	if (k->worker && retention_has_chosen(k->worker, &choice, &error)) {
		if (error)
			retention_remove(k->worker);
		else
			take_choice(c, choice);
	}
	if (!k->worker || !retention_is_done(k->worker))
		return;
	error = retention_end(k->worker);
	k->worker = NULL;
	if (error)
		fail(c, error);
}

void collector_retain_stop(struct collector *c)
{
	retention_end(c->retention.worker);
	c->retention.worker = NULL;
}
