/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits in two threads: their order, and what fails with what. */
#include "tests/unit/common/test.h"
#include "tests/unit/wire.h"

#include "host/collect/commit_worker.h"

#include <semaphore.h>

static const struct rx_address nowhere;

/* A disk that waits until it is released. */
static struct {
	struct memory_store store;
	struct receiver *receiver;
	struct commit_worker *committer;
	sem_t appended, syncing, go_on, done;
	struct datagram_ack ack; /* the last */
} it;

static int its_append(void *ctx, uint64_t sid, uint64_t at, const struct iovec *v, int count)
{
	int error = memory_append(ctx, sid, at, v, count);

	sem_post(&it.appended);
	return error;
}

static int its_sync(void *ctx, const uint64_t *sids, size_t count, int *errors)
{
	sem_post(&it.syncing);
	sem_wait(&it.go_on);
	return memory_sync(ctx, sids, count, errors);
}

static void its_done(void *ctx)
{
	(void)ctx;
	sem_post(&it.done);
}

static uint64_t its_clock(void *ctx)
{
	(void)ctx;
	return 1;
}

static void its_reply(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count)
{
	(void)ctx, (void)to;
	datagram_read_ack(bytes, count, NULL, &it.ack);
}

static void its_news(void *ctx, struct receiver_run *run)
{
	(void)ctx, (void)run;
}

static void its_trouble(void *ctx, const struct receiver_run *run, int error)
{
	(void)ctx, (void)run, (void)error;
}

static int start(void **state)
{
	struct receiver_setup setup = {
		.runs_known = 16,
		.runs_max = 32,
		.hold_max = 1 << 20,
		.clock_ns = its_clock,
		.reply = its_reply,
		.learned = its_news,
		.trouble = its_trouble,
	};

	(void)state;
	memset(&it, 0, sizeof(it));
	setup.store = memory_ops(&it.store);
	setup.store.append = its_append;
	setup.store.sync = its_sync;
	sem_init(&it.appended, 0, 0);
	sem_init(&it.syncing, 0, 0);
	sem_init(&it.go_on, 0, 0);
	sem_init(&it.done, 0, 0);
	it.receiver = receiver_new(&setup);
	it.committer = commit_worker_new(its_done, NULL);
	return it.receiver && it.committer ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	commit_worker_free(it.committer);
	receiver_free(it.receiver);
	memory_free(&it.store);
	return 0;
}

/* Two lines of a run, and the commit of them. */
static void give(uint64_t sid, uint64_t seq)
{
	char text[DATAGRAM_LINES_MAX];
	uint8_t out[DATAGRAM_MAX];
	struct datagram d = { .sid = sid, .seq = seq, .number = seq / 2, .lines = 2, .text = text };
	struct receiver_commit *commit;

	for (unsigned i = 0; i < 2; i++)
		d.bytes += wire_make_line(text + d.bytes, sid, seq + i, "gap", 20);
	assert_int_equal(receiver_take(it.receiver, out, datagram_write(out, &d, NULL), &nowhere),
			 RECEIVER_TAKEN);
	commit = receiver_begin(it.receiver);
	assert_non_null(commit);
	assert_true(commit_worker_has_room(it.committer));
	commit_worker_give(it.committer, commit);
	sem_wait(&it.appended);
}

/* The next that is done: the state that its node is sent. */
static enum datagram_state take(uint64_t sid)
{
	struct receiver_commit *commit;

	commit_worker_wait(it.committer);
	commit = commit_worker_take(it.committer);
	assert_non_null(commit);
	receiver_end(it.receiver, commit);
	receiver_answer(it.receiver, commit);
	assert_int_equal(it.ack.sid, sid);
	sem_wait(&it.done);
	return it.ack.state;
}

/* One is written while the one before is made durable, and they come back in order. */
TEST_F(start, teardown, test_two_at_a_time)
{
	assert_false(commit_worker_is_busy(it.committer));
	give(7, 0);
	sem_wait(&it.syncing);
	give(8, 0);
	assert_false(commit_worker_has_room(it.committer));
	assert_null(commit_worker_take(it.committer));
	assert_int_equal(it.store.syncs, 0);
	sem_post(&it.go_on);
	sem_post(&it.go_on);
	assert_int_equal(take(7), DATAGRAM_TAKEN);
	assert_int_equal(take(8), DATAGRAM_TAKEN);
	assert_int_equal(it.store.syncs, 2);
	assert_false(commit_worker_is_busy(it.committer));
	assert_int_equal(memory_durable(&it.store, 7), 2);
	assert_int_equal(memory_durable(&it.store, 8), 2);
	commit_worker_wait(it.committer);
	assert_null(commit_worker_take(it.committer));
}

/* The system reports a failure once: it may have been of the second. */
TEST_F(start, teardown, test_fails_with_the_one_before)
{
	give(7, 0);
	sem_wait(&it.syncing);
	give(8, 0);
	it.store.fail_sync = 1;
	sem_post(&it.go_on);
	sem_post(&it.go_on);
	assert_int_equal(take(7), DATAGRAM_NO_SPACE);
	assert_int_equal(take(8), DATAGRAM_NO_SPACE);
	assert_int_equal(it.store.syncs, 1);
	assert_null(memory_file(&it.store, 8));
	/* Those that come after are judged for themselves. */
	give(8, 0);
	assert_int_equal(take(8), DATAGRAM_TAKEN);
	assert_int_equal(memory_durable(&it.store, 8), 2);
}
