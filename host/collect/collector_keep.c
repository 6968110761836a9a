/* SPDX-License-Identifier: BSD-2-Clause */
/* What is received waits for none of it: who chooses is another thread, and files go by and by. */
#include "collector.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "index/index_db.h"
#include "service/service.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* From one choice to the next: it reads the index. */
#define KEEP_NS (600 * NS_PER_S)

/* After one that found the index damaged, or locked. */
#define AGAIN_NS (10 * NS_PER_S)

/* For the files that go at a time. */
#define SLICE_NS (10000 * NS_PER_US)

#define WAIT_US 1000

/* The file first: an entry without a file counts for nothing. */
static bool remove_run(struct collector *c, const struct keep_run *run)
{
	struct receiver_stored s = {
		.sid = run->sid,
		.uuid = run->uuid,
		.is_own = run->is_own,
		.bytes = (uint64_t)store_status(c->writer.folder.dir, run->sid).st_size,
	};
	int error;

	if (!receiver_release(c->receiver, run->sid))
		return false;
	error = run_writer_remove(&c->writer, run->sid);
	if (error) {
		service_log(LOG_ERR, "--keep: run %016" PRIx64 ": %s", run->sid, strerror(error));
		return false;
	}
	udp_queue_parse_address(run->from, &s.from);
	receiver_remove_stored(c->receiver, &s);
	nodes_forget(&c->verdicts.nodes, run->uuid, run->sid);
	index_writer_drop(c->index, run->sid);
	if (!c->quiet)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " removed",
			    *run->uuid ? run->uuid : "unknown", run->sid);
	return true;
}

static void remove_some(struct collector *c)
{
	struct collector_keep *k = &c->keep;
	uint64_t until = monotonic_ns() + SLICE_NS;

	while (k->next < k->choice.count && monotonic_ns() < until)
		k->gone += remove_run(c, &k->choice.run[k->next++]);
	if (k->next < k->choice.count)
		return;
	service_log(LOG_INFO, "--keep: %zu runs removed, %" PRIu64 " bytes", k->gone,
		    k->choice.bytes);
	keep_free(&k->choice);
	k->next = k->gone = 0;
}

/* The time of a suspended system counts, too. */
static bool believes_clock(struct collector_keep *k)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	if (keep_believes(&k->clock, (uint64_t)time(NULL), (uint64_t)boot.tv_sec))
		return true;
	service_log(LOG_WARNING, "--keep: the clock was set: nothing is removed for 2 h");
	return false;
}

static void begin(struct collector *c)
{
	struct collector_keep *k = &c->keep;
	const struct keep_question q = { .dir = c->writer.folder.dir,
					 .limits = k->limits,
					 .now = (uint64_t)time(NULL),
					 .must_forward = c->forward };

	k->due_ns = monotonic_ns() + KEEP_NS;
	if (!believes_clock(k))
		return;
	k->worker = keep_worker_new(&q);
	if (!k->worker)
		service_log(LOG_ERR, "--keep: %s", strerror(errno));
}

/* Nothing is removed. An index that is opened again is checked, and made again if it is damaged. */
static void explain(struct collector *c, int error)
{
	service_log(LOG_ERR, "--keep: " INDEX_NAME ": %s; nothing is removed", index_db_why(error));
	if (error == INDEX_DB_DAMAGED)
		index_writer_reopen(c->index);
	if (error == INDEX_DB_DAMAGED || error == EBUSY)
		c->keep.due_ns = monotonic_ns() + AGAIN_NS;
}

static void take(struct collector *c)
{
	struct collector_keep *k = &c->keep;
	int error = keep_worker_end(k->worker, &k->choice);

	k->worker = NULL;
	if (error) {
		explain(c, error);
		keep_free(&k->choice);
		return;
	}
	if (k->choice.over)
		service_log(LOG_WARNING,
			    "--keep: %" PRIu64 " bytes too many, of runs that are not forwarded, "
			    "ended within 2 h, have no end yet, or are the latest of a machine",
			    k->choice.over);
	if (k->choice.quiet_s && !k->is_quiet)
		service_log(LOG_WARNING,
			    "--keep: nothing was received for %" PRIu64 " h, or the clock has "
			    "jumped: a quarter of the limit counts",
			    k->choice.quiet_s / 3600);
	k->is_quiet = k->choice.quiet_s;
}

void collector_keep(struct collector *c)
{
	struct collector_keep *k = &c->keep;

	if (!k->limits.age_s && !k->limits.bytes)
		return;
	if (k->choice.count)
		remove_some(c);
	else if (k->worker && keep_worker_is_done(k->worker))
		take(c);
	else if (!k->worker && monotonic_ns() >= k->due_ns)
		begin(c);
}

void collector_keep_all(struct collector *c)
{
	struct collector_keep *k = &c->keep;

	collector_keep(c);
	while ((k->worker || k->choice.count) && !signals_seen()) {
		service_watchdog();
		if (k->worker)
			usleep(WAIT_US);
		collector_keep(c);
	}
}

void collector_keep_stop(struct collector *c)
{
	keep_free(&c->keep.choice);
	keep_worker_end(c->keep.worker, &c->keep.choice);
	keep_free(&c->keep.choice);
	c->keep.worker = NULL;
}
