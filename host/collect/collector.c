/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits as often as the disk allows: what arrives during one commit makes up the next. */
#define _GNU_SOURCE /* getrandom */
#include "collector.h"

#include "host/fleet/fleet_line.h"
#include "host/lib/memory.h"
#include "host/lib/monotonic.h"
#include "host/lib/order.h"
#include "host/lib/signals.h"
#include "host/store/index_order.h"
#include "service/service.h"

#include "core/lib/arith.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/*
 * What arrives within this time of the first shares its commit. Short compared with a node's first
 * retry.
 */
#define GATHER_NS      (5000 * NS_PER_US)
#define GATHER_MANY_NS (50000 * NS_PER_US)
#define MANY           1000

/* Figures for `fleet` are read from the files of runs that ended: index_writer.h */
#define FIGURES_QUIET_NS   (1 * NS_PER_S)
#define FIGURES_PUT_OFF_NS (60 * NS_PER_S)
/* Of the file system, one for each host and each node by default. */
#define SHARES      10
#define SHARE_LEAST (UINT64_C(1) << 30)
/* Datagrams of one commit. */
#define BATCH_MAX 30000

/* Runs in memory at a time, about 1 KB each; more than are active. */
#define RUNS_KNOWN 131072
#define HOLD_MAX   ((size_t)64 << 20)

_Static_assert((COMMIT_WORKER_MOST + 1) * BATCH_MAX < RUNS_KNOWN,
	       "commits and the next one do not push out their own runs");

static uint64_t clock_ns(void *unused)
{
	(void)unused;
	return monotonic_ns();
}

static void on_cut(void *ctx, uint64_t sid, uint64_t bytes, bool set_aside)
{
	struct collector *c = ctx;

	c->cut++;
	if (set_aside)
		service_log(LOG_WARNING,
			    "run %016" PRIx64 ": its file is damaged: cut %" PRIu64
			    " bytes, which are in %016" PRIx64 ".cut",
			    sid, bytes, sid);
	else
		service_log(LOG_WARNING,
			    "run %016" PRIx64 ": cut %" PRIu64 " bytes of an incomplete line", sid,
			    bytes);
}

/* However long a file is, the service manager hears of us, and a signal is obeyed. */
static bool on_read(void *ctx)
{
	(void)ctx;
	service_watchdog();
	return !signals_seen();
}

static void on_reply(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count)
{
	struct collector *c = ctx;

	udp_queue_send(c->udp_queue, to, bytes, count);
}

static struct index_entry entry_of(const struct collector *c, const struct receiver_run *run)
{
	/* Not now: the index may be written anew long after that. */
	uint64_t heard_s = (monotonic_ns() - run->heard_ns) / NS_PER_S;
	struct index_entry e = { .sid = run->sid,
				 .summary = run->kept.summary,
				 .is_own = run->is_own,
				 .at = (uint64_t)time(NULL) - heard_s };

	policy_judge(c->verdicts.policy, &e.summary);
	udp_queue_print_address(&run->peer, e.from, sizeof(e.from));
	return e;
}

/* All runs in memory once more, as some may be missing, or lack what only we know. */
static void repay_index(struct collector *c)
{
	const struct receiver_run *run = TAILQ_LAST(receiver_ages(c->receiver), receiver_ages);

	if (!index_writer_owes(c->index))
		return;
	for (; run; run = TAILQ_PREV(run, receiver_ages, ages)) {
		struct index_entry e = entry_of(c, run);

		if (!run->is_new)
			index_writer_put(c->index, &e, false);
	}
	index_writer_release(c->index);
}

static void report_run(const struct index_entry *e)
{
	const struct summary *s = &e->summary;
	const char *node = summary_node_verdict(s), *why = node ? summary_reason(s) : "";

	if (s->ended)
		service_log(LOG_INFO, "%s: run %016" PRIx64 " %s, %" PRIu64 " lines%s%s%s%s%s%s",
			    *s->uuid ? s->uuid : e->from, e->sid, summary_verdict(s), s->lines,
			    s->mode ? ", mode=" : "", s->mode ? s->mode->name : "",
			    node ? ", by the node " : "", node ? node : "", *why ? ": " : "", why);
	else
		service_log(LOG_INFO, "%s: run %016" PRIx64 " of %s from %s",
			    *s->uuid ? s->uuid : "unknown", e->sid,
			    *s->product ? s->product : "unknown", e->from);
}

/* In the forwarder's thread. */
static void on_forward_state(void *ctx, const struct index_forward *state, bool all)
{
	const struct collector *c = ctx;

	index_writer_forward(c->index, state, all);
}

/* In the index's thread, mostly: when a run began is looked up there. */
static void on_indexed(void *ctx, const struct index_entry *e)
{
	struct collector *c = ctx;

	if (c->forward && e->summary.ended)
		forward_add(c->forward, e);
}

/* What has ended is in its file: an attestation is read there once, and kept. */
static void on_learned(void *ctx, struct receiver_run *run)
{
	struct collector *c = ctx;
	struct index_entry e;

	policy_read_attest(c->verdicts.policy, c->writer.folder.dir, run->sid, &run->kept.summary);
	e = entry_of(c, run);

	index_writer_put(c->index, &e, true);
	nodes_learn(&c->verdicts.nodes, &e, run->order);
	if (!c->quiet)
		report_run(&e);
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
	c->troubled++;
	c->unreported++;
	if (c->reported_ns && now - c->reported_ns < NS_PER_S)
		return;
	service_log(LOG_ERR,
		    "run %016" PRIx64 ": refused, and not acknowledged: %s (%" PRIu64
		    " times since the last message)",
		    run->sid, error == EDQUOT ? "--bytes-per-run, -node or -host" : strerror(error),
		    c->unreported);
	c->reported_ns = now;
	c->unreported = 0;
}

static ORDER_BY(by_rank, struct index_entry, rank);

/* True: it was not all there, and is now, from its file. */
static bool complete_run(const struct collector *c, struct index_entry *e)
{
	struct store_progress kept;

	if ((e->summary.ended && !policy_lacks(c->verdicts.policy, &e->summary)) ||
	    policy_read_run(c->verdicts.policy, c->writer.folder.dir, e->sid, &kept) != 0)
		return false;
	if (e->place && !kept.summary.ended && strcmp(e->summary.uuid, kept.summary.uuid) == 0)
		return false;
	if (e->place && !e->summary.ended)
		e->at = (uint64_t)store_status(c->writer.folder.dir, e->sid).st_mtime;
	e->summary = kept.summary;
	return true;
}

static void log_index(int error)
{
	service_log(LOG_WARNING, INDEX_NAME ": %s; missing entries are added later",
		    index_db_why(error));
}

static void add_change(struct index_db_changes *changes, const struct index_entry *e,
		       enum index_db_what what)
{
	struct index_db_change *change = memory_new(1, sizeof(*change));

	change->entry = *e;
	change->what = what;
	STAILQ_INSERT_TAIL(changes, change, next);
}

/*
 * What it has of the runs whose files are there, in their order; the others are gone from it.
 * False: memory has run out, or the folder cannot be read.
 */
static bool read_known(struct collector *c, struct index_db_changes *changes)
{
	struct index_table *t = &c->known;
	uint64_t *all;
	size_t count = 0;
	int dir = c->writer.folder.dir, error = index_db_open(dir, c->forwards, &c->index_db);

	if (error)
		log_index(error);
	error = index_db_read_some(dir, t);
	all = memory_new(t->count, sizeof(*all));
	for (; count < t->count; count++)
		all[count] = t->entry[count].sid;
	error = error ? error : index_order(t, dir);
	for (size_t i = 0; i < count && !error; i++)
		if (!index_find(t, all[i]))
			add_change(changes, &(struct index_entry){ .sid = all[i] }, INDEX_DB_GONE);
	free(all);
	ORDER_SORT(t->entry, t->count, by_rank);
	if (error)
		service_log(LOG_ERR, INDEX_NAME ": %s", strerror(error));
	return !error;
}

static bool start_index(struct collector *c)
{
	struct index_db_changes changes = STAILQ_HEAD_INITIALIZER(changes);
	struct index_db_change *change;
	int error;

	if (!read_known(c, &changes))
		return false;
	for (size_t i = 0; i < c->known.count; i++) {
		struct index_entry *e = &c->known.entry[i];

		if (complete_run(c, e) || !e->place)
			add_change(&changes, e, INDEX_DB_PUT);
		policy_judge(c->verdicts.policy, &e->summary);
		nodes_learn(&c->verdicts.nodes, e, 0);
	}
	error = c->index_db ? index_db_write(c->index_db, &changes) : 0;
	c->index_is_whole = c->index_db && !error;
	if (error)
		log_index(error);
	while ((change = STAILQ_FIRST(&changes))) {
		STAILQ_REMOVE_HEAD(&changes, next);
		free(change);
	}
	return true;
}

/* In the index's thread, which alone reads captures. */
static char *figures_of(void *ctx, const struct index_entry *e)
{
	const struct collector *c = ctx;

	return fleet_line_make(c->writer.folder.dir, e);
}

static void on_index_state(void *ctx, int error)
{
	(void)ctx;
	if (error == INDEX_DB_DAMAGED)
		service_log(LOG_WARNING, INDEX_NAME ": %s; it is made again of the runs' files",
			    index_db_why(error));
	else if (error)
		log_index(error);
	else
		service_log(LOG_INFO, INDEX_NAME ": rewritten");
}

/* From here on it is the thread's. */
static bool start_index_writer(struct collector *c)
{
	const struct index_writer_setup setup = { .dir = c->writer.folder.dir,
						  .lock = c->writer.folder.lock,
						  .is_whole = c->index_is_whole,
						  .forwards = c->forwards,
						  .db = c->index_db,
						  .written = on_indexed,
						  .figures = figures_of,
						  .quiet_ns = FIGURES_QUIET_NS,
						  .put_off_ns = FIGURES_PUT_OFF_NS,
						  .state = on_index_state,
						  .ctx = c };

	c->index = index_writer_new(&setup);
	c->index_db = NULL;
	if (!c->index)
		service_log(LOG_ERR, INDEX_NAME ": %s", strerror(errno));
	return c->index;
}

/* Who has begun the runs that are there, and with whose key. */
static void count_stored(struct collector *c)
{
	for (size_t i = 0; i < c->known.count; i++) {
		const struct index_entry *e = &c->known.entry[i];
		struct receiver_stored s = {
			.sid = e->sid,
			.uuid = e->summary.uuid,
			.is_own = e->is_own,
			.bytes = (uint64_t)store_status(c->writer.folder.dir, e->sid).st_size,
		};

		udp_queue_parse_address(e->from, &s.from);
		receiver_add_stored(c->receiver, &s);
	}
	index_free(&c->known);
}

static uint64_t bytes_of_one(const struct collector *c, uint64_t given)
{
	struct statvfs disk;

	if (given)
		return given;
	if (fstatvfs(c->writer.folder.dir, &disk) != 0)
		return 0;
	return arith_max(disk.f_blocks / SHARES * disk.f_frsize, SHARE_LEAST);
}

/* In the committer's thread. */
static void on_written(void *ctx)
{
	udp_queue_wake(ctx);
}

static bool start_receiver(struct collector *c, const struct collector_setup *setup)
{
	struct receiver_setup r = {
		.key = setup->key,
		.old_key = setup->old_key,
		.revoked = setup->revoked,
		.store = run_writer_ops(&c->writer),
		.runs_known = RUNS_KNOWN,
		.runs_max = setup->runs_max,
		.runs_kept = c->writer.folder.runs,
		.runs_host = setup->runs_host,
		.runs_node = setup->runs_node,
		.bytes_host = bytes_of_one(c, setup->bytes_host),
		.bytes_node = bytes_of_one(c, setup->bytes_node),
		.hold_max = HOLD_MAX,
		.clock_ns = clock_ns,
		.reply = on_reply,
		.learned = on_learned,
		.trouble = on_trouble,
		.ctx = c,
	};

	if (getrandom(r.secret, sizeof(r.secret), 0) != (ssize_t)sizeof(r.secret)) {
		service_log(LOG_ERR, "random numbers: %s", strerror(errno));
		return false;
	}
	c->receiver = receiver_new(&r);
	if (c->receiver)
		count_stored(c);
	c->udp_queue = c->receiver ? udp_queue_new(setup->socket) : NULL;
	c->commit_worker = c->udp_queue ? commit_worker_new(on_written, c->udp_queue) : NULL;
	if (!c->commit_worker)
		service_log(LOG_ERR, "%s", strerror(errno));
	return c->commit_worker != NULL;
}

/* Nothing has ended since its writer has the index. */
static bool start_forward(struct collector *c, const struct collector_setup *setup)
{
	const struct forward_setup f = { .to = setup->forward,
					 .dir = setup->dir,
					 .access = &setup->access,
					 .state = on_forward_state,
					 .ctx = c };

	if (c->forwards)
		c->forward = forward_start(&f);
	return c->forward || !c->forwards;
}

bool collector_start(struct collector *c, const struct collector_setup *setup)
{
	const char *what;
	int error;

	*c = (struct collector){ .quiet = setup->quiet,
				 .keep.limits = setup->keep,
				 .forwards = setup->forward,
				 .verdicts.policy = setup->policy };
	c->dir = setup->dir;
	if (!run_writer_open(&c->writer, setup->dir, &what)) {
		service_log(LOG_ERR, "%s: cannot %s: %s", setup->dir, what,
			    errno == EWOULDBLOCK ? "another collector uses it" : strerror(errno));
		return false;
	}
	error = policy_put(c->verdicts.policy, setup->dir);
	if (error) {
		service_log(LOG_ERR, "%s/" POLICY_NAME ": %s", setup->dir, strerror(error));
		return false;
	}
	c->verdicts.dir = c->writer.folder.dir;
	c->writer.limits = setup->limits;
	c->writer.cut = on_cut;
	c->writer.go_on = on_read;
	c->writer.ctx = c;
	return start_index(c) && start_index_writer(c) && start_forward(c, setup) &&
	       start_receiver(c, setup);
}

void collector_stop(struct collector *c)
{
	collector_keep_stop(c);
	commit_worker_free(c->commit_worker);
	udp_queue_free(c->udp_queue);
	forward_quit(c->forward);
	index_writer_free(c->index);
	index_db_close(c->index_db);
	forward_stop(c->forward);
	receiver_free(c->receiver);
	index_free(&c->known);
	nodes_free(&c->verdicts.nodes);
	run_writer_close(&c->writer);
}

/* What has arrived and fits into the batch. */
static void take_arrived(struct collector *c)
{
	size_t count = udp_queue_wait(c->udp_queue, 0);

	if (count && !receiver_is_due(c->receiver))
		c->begun_ns = monotonic_ns();
	for (; count && receiver_ready(c->receiver) < BATCH_MAX; count--) {
		const struct udp_queue_datagram *d = udp_queue_next(c->udp_queue);

		receiver_take(c->receiver, d->data, d->bytes, &d->from);
		udp_queue_done(c->udp_queue);
	}
}

/* Until everything accepted is committed. */
static uint64_t due_ns(const struct collector *c)
{
	size_t ready = receiver_ready(c->receiver);
	uint64_t gather = ready < MANY ? GATHER_NS : GATHER_MANY_NS;
	uint64_t passed = monotonic_ns() - c->begun_ns;

	return ready >= BATCH_MAX || passed >= gather ? 0 : gather - passed;
}

/*
 * While one is running, begin another only for a full batch: with fewer commits each file is
 * written less often.
 */
static bool can_begin(const struct collector *c)
{
	return receiver_is_due(c->receiver) && commit_worker_has_room(c->commit_worker) &&
	       (!commit_worker_is_busy(c->commit_worker) ||
		receiver_ready(c->receiver) >= BATCH_MAX);
}

/* False: memory has run out. */
static bool begin_commit(struct collector *c)
{
	struct receiver_commit *commit = receiver_begin(c->receiver);

	c->begun_ns = monotonic_ns();
	if (commit)
		commit_worker_give(c->commit_worker, commit);
	return commit != NULL;
}

static void begin_if_due(struct collector *c)
{
	if (can_begin(c) && !due_ns(c))
		begin_commit(c);
}

/* The disk starts on the next one before the last is acknowledged. */
static void end_commit(struct collector *c)
{
	struct receiver_commit *commit = commit_worker_take(c->commit_worker);

	if (!commit)
		return;
	index_writer_hold(c->index);
	receiver_end(c->receiver, commit);
	begin_if_due(c);
	receiver_answer(c->receiver, commit);
	index_writer_release(c->index);
}

void collector_work(struct collector *c, uint64_t ns)
{
	repay_index(c);
	if (receiver_ready(c->receiver) >= BATCH_MAX)
		commit_worker_wait(c->commit_worker);
	else if (can_begin(c))
		udp_queue_wait(c->udp_queue, due_ns(c));
	else
		udp_queue_wait(c->udp_queue, ns);
	take_arrived(c);
	end_commit(c);
	begin_if_due(c);
}

void collector_finish(struct collector *c)
{
	take_arrived(c);
	while (receiver_is_due(c->receiver) || commit_worker_is_busy(c->commit_worker)) {
		if (can_begin(c) && !begin_commit(c) && !commit_worker_is_busy(c->commit_worker))
			break;
		commit_worker_wait(c->commit_worker);
		end_commit(c);
	}
	index_writer_flush(c->index);
	repay_index(c);
	index_writer_flush(c->index);
}

/* The latest one of a node. */
static void judge_run(struct collector *c, struct index_entry *e)
{
	bool asks = policy_asks_attest(c->verdicts.policy, &e->summary);
	struct store_progress kept;

	service_watchdog();
	if (!e->summary.ended)
		return;
	if (policy_lacks(c->verdicts.policy, &e->summary) &&
	    policy_read_run(c->verdicts.policy, c->writer.folder.dir, e->sid, &kept) == 0) {
		e->summary = kept.summary;
		/* Once is enough: it takes the whole file. */
		if (asks)
			index_writer_put(c->index, e, false);
	}
	policy_judge(c->verdicts.policy, &e->summary);
	nodes_judge(&c->verdicts.nodes, e);
}

/* Of other runs whoever asks judges, and reads what the policy wants and the index lacks. */
static void judge_nodes(struct collector *c)
{
	struct index_db_finder *finder = index_db_finder_new(c->writer.folder.dir);
	size_t count;
	uint64_t *sid = nodes_runs(&c->verdicts.nodes, &count);

	if (!finder)
		service_log(LOG_ERR, INDEX_NAME ": %s", index_db_why(errno));
	for (size_t i = 0; i < count; i++) {
		struct index_entry e;

		if (index_db_finder_find(finder, sid[i], &e) == 0)
			judge_run(c, &e);
	}
	index_db_finder_free(finder);
	free(sid);
}

bool collector_judge(struct collector *c, const struct policy *policy)
{
	int error = policy_put(policy, c->dir);
	struct receiver_run *run;

	if (error) {
		service_log(LOG_ERR, "%s/" POLICY_NAME ": %s", c->dir, strerror(error));
		return false;
	}
	verdicts_set_policy(&c->verdicts, policy);
	judge_nodes(c);
	TAILQ_FOREACH(run, receiver_ages(c->receiver), ages)
	policy_read_attest(c->verdicts.policy, c->writer.folder.dir, run->sid, &run->kept.summary);
	return true;
}

void collector_reopen(struct collector *c)
{
	collector_finish(c);
	run_writer_close_files(&c->writer);
	index_writer_reopen(c->index);
	c->keep.due_ns = 0;
	if (c->forward)
		forward_reopen(c->forward);
}
