/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits as often as the disk allows: what arrives during one commit makes up the next. */
#define _GNU_SOURCE /* getrandom */
#include "collector.h"

#include "host/fleet/runs.h"
#include "host/fleet/store/store.h"
#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "host/lib/text_sanitize.h"
#include "service/service.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

/*
 * Datagrams within this time of the first one share its commit. Short compared with a node's first
 * retry.
 */
#define GATHER_NS      (5000 * NS_PER_US)
#define GATHER_MANY_NS (50000 * NS_PER_US)
#define MANY           1000

/*
 * By default, each host and each node may fill 1 / SHARES of the file system, but at least
 * SHARE_LEAST bytes.
 */
#define SHARES      10
#define SHARE_LEAST (UINT64_C(1) << 30)
/* Datagrams of one commit. */
#define BATCH_MAX 60000
/* Datagrams that are taken until commits and the time are looked at again. */
#define AT_ONCE 1024

/* Runs in memory at a time, about 1 KB each; more than are active. */
#define RUNS_KNOWN 131072
#define HOLD_MAX   ((size_t)64 << 20)

_Static_assert(2 * BATCH_MAX < RUNS_KNOWN, "a commit and the next do not push out their runs");

/*
 * Bytes of the disk that stay free: at most FREE_MOST of the configured share, and FREE_LEAST more,
 * because whole pages are written.
 */
#define FREE_MOST  (UINT64_C(4) << 30)
#define FREE_LEAST (UINT64_C(128) << 10)

/* A log of this size is reported: a reader keeps it from being emptied. */
#define WAL_LONG ((uint64_t)256 << 20)

/* Runs that are judged anew in one transaction. */
#define JUDGE_EACH 2048

static uint64_t clock_ns(void *unused)
{
	(void)unused;
	return monotonic_ns();
}

/* A filesystem without a size, or whose size is not known, has room for all. */
uint64_t collector_room(void *collector)
{
	const struct collector *c = collector;
	struct statvfs disk;
	uint64_t room, kept;

	if (statvfs(c->dir, &disk) != 0 || !disk.f_blocks)
		return UINT64_MAX;
	room = disk.f_bavail * disk.f_frsize + c->free_bytes;
	kept = disk.f_blocks * disk.f_frsize / 100 * c->free_percent;
	kept = arith_min(kept, FREE_MOST) + FREE_LEAST;
	return room > kept ? room - kept : 0;
}

static void on_reply(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count)
{
	struct collector *c = ctx;

	udp_socket_send(c->udp, to, bytes, count);
}

static void on_learned(void *ctx, struct receiver_run *learned)
{
	const struct store_run *run = &learned->kept;
	const struct summary *s = &run->summary;
	const char *node = summary_node_verdict(s), *why = node ? summary_reason(s) : "";

	if (((const struct collector *)ctx)->quiet)
		return;
	if (s->ended)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " %s, %" PRIu64 " lines%s%s%s%s%s%s",
			    *s->uuid ? s->uuid : run->host, run->sid, summary_verdict(s), s->lines,
			    s->mode ? ", mode=" : "", s->mode ? s->mode->name : "",
			    node ? ", by the node " : "", node ? node : "", *why ? ": " : "", why);
	else
		service_log(LOG_INFO, "%s: run %016" PRIx64 " of %s from %s",
			    *s->uuid ? s->uuid : "unknown", run->sid,
			    *s->product ? s->product : "unknown", run->host);
}

/*
 * With a full disk thousands of nodes are refused several times a second: print one line a second.
 */
static void on_trouble(void *ctx, const struct receiver_run *run, int error)
{
	struct collector *c = ctx;
	uint64_t now = monotonic_ns();

	if (!error)
		return;
	c->unreported++;
	if (c->reported_ns && now - c->reported_ns < NS_PER_S)
		return;
	service_log(LOG_ERR,
		    "run %016" PRIx64 ": refused, and not acknowledged: %s (%" PRIu64
		    " times since the last message)",
		    run->sid,
		    error == EDQUOT ? "--bytes-per-run, -node or -host" : store_why(error),
		    c->unreported);
	c->reported_ns = now;
	c->unreported = 0;
}

/* ---- Policy ---- */

struct judging {
	const struct policy *policy;
	struct store *store;
	uint64_t last; /* id of the last run that was judged */
	size_t count;  /* runs in this transaction */
};

static int judge_run(void *ctx, const struct store_run *run)
{
	struct judging *j = ctx;
	struct store_run judged = *run;

	service_watchdog();
	runs_judge(j->policy, j->store, &judged);
	j->last = run->id;
	j->count++;
	return store_put(j->store, &judged);
}

/*
 * Judge the next runs. Until all are judged, the store has the text of no policy: the next start or
 * SIGHUP judges all of them, whichever policy it has.
 */
static int judge_some(struct judging *j)
{
	char where[120];
	int error = store_begin(j->store);

	if (error)
		return error;
	j->count = 0;
	snprintf(where, sizeof(where), "WHERE ended AND id > %" PRIu64 " ORDER BY id LIMIT %d",
		 j->last, JUDGE_EACH);
	error = store_set(j->store, "policy", "");
	error = error ? error : store_each(j->store, where, NULL, judge_run, j);
	return store_end(j->store, error);
}

/*
 * Judge all runs, while nothing is being committed. A signal ends this, and the next start begins
 * anew.
 */
static int judge_all(struct collector *c, const struct policy *policy)
{
	struct judging j = { .policy = policy, .store = c->writer };
	int error;

	do {
		service_notify("EXTEND_TIMEOUT_USEC=60000000");
		error = judge_some(&j);
		error = !error && signals_seen() ? ECANCELED : error;
	} while (!error && j.count);
	error = error ? error : store_begin(j.store);
	return error ? error
		     : store_end(j.store,
				 store_set(j.store, "policy", policy ? policy->text : NULL));
}

/* Judge all stored runs, unless the store has this policy's text: then they are. */
static bool adopt_policy(struct collector *c, const struct policy *policy)
{
	char *stored = store_setting(c->writer, "policy");
	const char *text = policy ? policy->text : NULL;
	int error = 0;

	if (!text != !stored || (text && strcmp(text, stored) != 0))
		error = judge_all(c, policy);
	free(stored);
	if (error)
		service_log(LOG_ERR, "policy: %s/" STORE_NAME ": %s", c->dir, store_why(error));
	else if (c->receiver)
		c->receiver->setup.policy = policy;
	return !error;
}

/* ---- Starting ---- */

/* A row of host, uuid, is_own, bytes. */
static struct receiver_stored read_stored(sqlite3_stmt *row)
{
	const char *host = (const char *)sqlite3_column_text(row, 0);
	const char *uuid = (const char *)sqlite3_column_text(row, 1);
	struct receiver_stored s = { .uuid = uuid ? uuid : "",
				     .is_own = sqlite3_column_int(row, 2),
				     .bytes = (uint64_t)sqlite3_column_int64(row, 3) };

	udp_socket_parse_address(host ? host : "", &s.from);
	return s;
}

static int count_run(void *ctx, sqlite3_stmt *row)
{
	struct collector *c = ctx;
	const struct receiver_stored s = read_stored(row);

	receiver_add_stored(c->receiver, &s);
	return 0;
}

static uint64_t bytes_of_one(const struct collector *c, uint64_t given)
{
	struct statvfs disk;

	if (given)
		return given;
	if (statvfs(c->dir, &disk) != 0)
		return 0;
	return arith_max(disk.f_blocks / SHARES * disk.f_frsize, SHARE_LEAST);
}

static bool start_receiver(struct collector *c, const struct collector_setup *setup)
{
	int error = 0;
	struct receiver_setup r = {
		.key = setup->key,
		.old_key = setup->old_key,
		.revoked = setup->revoked,
		.writer = c->writer,
		.reader = c->reader,
		.policy = setup->policy,
		.runs_known = RUNS_KNOWN,
		.limits = setup->limits,
		.hold_max = HOLD_MAX,
		.clock_ns = clock_ns,
		.room = collector_room,
		.reply = on_reply,
		.learned = on_learned,
		.trouble = on_trouble,
		.ctx = c,
	};

	r.limits.bytes_host = bytes_of_one(c, r.limits.bytes_host);
	r.limits.bytes_node = bytes_of_one(c, r.limits.bytes_node);
	if (getrandom(r.secret, sizeof(r.secret), 0) == (ssize_t)sizeof(r.secret))
		c->receiver = receiver_new(&r);
	error = !c->receiver
			? errno
			: store_ask(c->reader,
				    "SELECT host, CASE owner WHEN '' THEN uuid ELSE owner END, "
				    "owner<>'', bytes FROM run JOIN progress ON "
				    "progress.run = run.id",
				    NULL, count_run, c);
	c->udp = error ? NULL : udp_socket_new(setup->socket);
	if (!c->udp)
		service_log(LOG_ERR, "%s: %s", c->dir, store_why(error ? error : errno));
	return c->udp;
}

static bool open_store(struct collector *c)
{
	char why[STORE_WHY];

	/* Check the log before the store is opened, which empties the log. */
	if (store_wal_is_damaged(c->dir, why))
		service_log(LOG_ERR, "%s", why);
	c->writer = store_open(c->dir, STORE_HOLD, why);
	c->reader = c->writer ? store_open(c->dir, STORE_READ, why) : NULL;
	if (c->reader)
		c->free_bytes = store_free_bytes(c->writer);
	else
		service_log(LOG_ERR, "%s", why);
	return c->reader;
}

bool collector_start(struct collector *c, const struct collector_setup *setup)
{
	*c = (struct collector){ .dir = setup->dir,
				 .quiet = setup->quiet,
				 .free_percent = setup->free_percent,
				 .retention = { .limits = setup->keep,
						.must_forward = setup->forward } };
	if (!open_store(c) || !adopt_policy(c, setup->policy))
		return false;
	if (setup->forward)
		c->forward = forward_start(setup->forward, setup->dir, &setup->access);
	return (c->forward || !setup->forward) && start_receiver(c, setup);
}

static void wait_for_worker(struct collector *c)
{
	if (c->has_worker)
		pthread_join(c->worker, NULL);
	c->has_worker = false;
}

/* The one that holds the store is closed last. */
void collector_stop(struct collector *c)
{
	wait_for_worker(c);
	udp_socket_free(c->udp);
	forward_stop(c->forward);
	receiver_free(c->receiver);
	store_close(c->reader);
	store_close(c->writer);
}

/* Take at most `most` datagrams that have arrived, and no more than the batch has room for. */
static void take_arrived(struct collector *c, size_t most)
{
	const struct udp_socket_datagram *d;

	while (most-- && c->receiver->ready < BATCH_MAX && (d = udp_socket_next(c->udp))) {
		if (!c->receiver->dirty)
			c->begun_ns = monotonic_ns();
		receiver_take(c->receiver, d->data, d->bytes, &d->from);
	}
}

/* The time until everything accepted has to be committed. */
static uint64_t due_ns(const struct collector *c)
{
	size_t ready = c->receiver->ready;
	uint64_t gather = ready < MANY ? GATHER_NS : GATHER_MANY_NS;
	uint64_t passed = monotonic_ns() - c->begun_ns;

	return ready >= BATCH_MAX || passed >= gather ? 0 : gather - passed;
}

/* ---- Commits: a thread writes one while the next is collected ---- */

/* Steps of retention take turns with commits. */
static void *do_work(void *ctx)
{
	struct collector *c = ctx;

	if (c->has_worker)
		signals_block();
	if (c->commit)
		receiver_write(c->commit);
	else
		retention_work(&c->retention, c->writer);
	atomic_store(&c->is_done, true);
	udp_socket_wake(c->udp);
	return NULL;
}

static void start_work(struct collector *c)
{
	c->has_yielded = !c->commit;
	c->is_busy = c->has_worker = true;
	atomic_store(&c->is_done, false);
	if (pthread_create(&c->worker, NULL, do_work, c) == 0)
		return;
	c->has_worker = false;
	do_work(c);
}

static bool can_begin(const struct collector *c)
{
	return c->receiver->dirty && !c->is_busy;
}

/* False: memory has run out. */
static bool begin_commit(struct collector *c)
{
	c->commit = receiver_begin(c->receiver);
	c->begun_ns = monotonic_ns();
	if (c->commit)
		start_work(c);
	return c->commit;
}

static void begin_if_due(struct collector *c)
{
	bool is_due = c->receiver->dirty;

	if (c->is_busy)
		return;
	if (!c->is_finishing && retention_is_due(&c->retention) && !(is_due && c->has_yielded))
		start_work(c);
	else if (is_due && !due_ns(c))
		begin_commit(c);
}

/* The store's log and its free pages, while nobody writes. */
static void look_at_store(struct collector *c)
{
	c->free_bytes = store_free_bytes(c->writer);
	c->wal_bytes = store_wal_bytes(c->writer);
	if (c->wal_bytes >= WAL_LONG && !c->wal_is_long)
		service_log(LOG_WARNING,
			    "%s/" STORE_NAME "-wal has %" PRIu64 " MB: another program keeps the "
			    "database open for reading, and so the log from being emptied",
			    c->dir, c->wal_bytes >> 20);
	c->wal_is_long = c->wal_bytes >= WAL_LONG;
}

static int forget_run(void *ctx, sqlite3_stmt *row)
{
	struct collector *c = ctx;
	const struct receiver_stored s = read_stored(row);
	const char *text = (const char *)sqlite3_column_text(row, 4);
	uint64_t sid = text ? strtoull(text, NULL, 16) : 0;
	char uuid[UUID_TEXT];

	text_sanitize_ascii(uuid, sizeof(uuid), s.uuid);
	if (!c->quiet)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " removed", *uuid ? uuid : "unknown",
			    sid);
	receiver_remove_stored(c->receiver, sid, &s);
	return 0;
}

/* Start to write the next commit before acknowledging the last, to keep the disk busy. */
static void end_work(struct collector *c)
{
	struct receiver_commit *commit = c->commit;

	if (!c->is_busy || !atomic_load(&c->is_done))
		return;
	wait_for_worker(c);
	c->is_busy = false;
	c->commit = NULL;
	if (commit)
		receiver_end(c->receiver, commit);
	else if (c->retention.has_removed)
		store_ask(c->writer, RETENTION_GONE, NULL, forget_run, c);
	look_at_store(c);
	begin_if_due(c);
	if (commit)
		receiver_answer(c->receiver, commit);
}

void collector_work(struct collector *c, uint64_t ns)
{
	if (c->receiver->ready >= BATCH_MAX)
		wait_for_worker(c);
	else if (can_begin(c))
		udp_socket_wait(c->udp, due_ns(c));
	else
		udp_socket_wait(c->udp, ns);
	take_arrived(c, AT_ONCE);
	end_work(c);
	begin_if_due(c);
}

void collector_finish(struct collector *c)
{
	take_arrived(c, BATCH_MAX);
	c->is_finishing = true;
	while (c->receiver->dirty || c->is_busy) {
		if (can_begin(c) && !begin_commit(c))
			break;
		wait_for_worker(c);
		end_work(c);
	}
	c->is_finishing = false;
}

bool collector_reload(struct collector *c, const struct policy *policy)
{
	collector_finish(c);
	c->retention.due_ns = 0;
	if (c->forward)
		forward_again(c->forward);
	return adopt_policy(c, policy);
}
