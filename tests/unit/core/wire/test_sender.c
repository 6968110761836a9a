/* SPDX-License-Identifier: BSD-2-Clause */
/* A node, a collector and what may happen between them. */
#include "tests/unit/common/test.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/wire.h"

#include "host/lib/node_key.h"

static const uint8_t key[SIPHASH_KEY_BYTES + 1] = "sixteen bytes 16";
static const uint8_t other_key[SIPHASH_KEY_BYTES + 1] = "another sixteen!";

static void assert_file(struct wire *w)
{
	struct memory_file *f = memory_file(&w->store, WIRE_SID);

	assert_non_null(f);
	assert_int_equal(f->durable, w->expected_bytes);
	assert_memory_equal(f->bytes, w->expected, w->expected_bytes);
}

/* Give lines of many lengths, for several rings, as room becomes free. */
static void give_lines(struct wire *w, unsigned lines)
{
	for (unsigned i = 0; i < lines; i++) {
		while (!sender_has_room(&w->sender, DATAGRAM_LINES_MAX))
			wire_step(w);
		assert_true(wire_line(w, some_bits(&w->dice) % 900));
	}
}

TEST(test_quiet_network)
{
	struct wire *w = wire_new(1, NULL);

	give_lines(w, 2000);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(sender_undelivered(&w->sender), 0);
	assert_int_equal(w->sender.sent_again, 0);
	assert_int_equal(w->sender.acks_refused, 0);
	assert_file(w);
	assert_int_equal(w->receiver->counts.result[RECEIVER_DUPLICATE], 0);
	assert_int_equal(w->receiver->counts.lines, 2000);
	wire_free(w);
}

/* 30 % lost, 10 % doubled, any order, both ways: complete, and each line once. */
TEST(test_bad_network)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct wire *w = wire_new(seed, seed % 2 ? key : NULL);

		w->loss = 30;
		w->twice = 10;
		w->delay_ns = 30 * MS;
		give_lines(w, 1000);
		assert_int_equal(wire_finish(w), SENDER_DELIVERED);
		assert_file(w);
		assert_true(w->receiver->counts.result[RECEIVER_HELD] > 0);
		assert_true(w->receiver->counts.result[RECEIVER_DUPLICATE] > 0);
		wire_free(w);
	}
}

/* The collector dies again and again; once with the machine, once alone. */
TEST(test_collector_dies)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct wire *w = wire_new(seed, seed % 2 ? key : NULL);

		w->loss = 10;
		w->delay_ns = 10 * MS;
		for (unsigned round = 0; round < 6; round++) {
			give_lines(w, 150);
			wire_run(w, 50 * MS);
			receiver_free(w->receiver);
			w->receiver = NULL;
			store_rollback((struct store *)&w->store);
			wire_run(w, 300 * MS);
			wire_start_receiver(w);
		}
		assert_int_equal(wire_finish(w), SENDER_DELIVERED);
		assert_file(w);
		wire_free(w);
	}
}

/* Acks of a collector that was restarted since, recorded and sent once more, change nothing. */
TEST(test_old_ack)
{
	struct wire *w = wire_new(6, key);
	struct datagram_ack a = { .sid = WIRE_SID };
	uint8_t old[DATAGRAM_ACK_MAX];
	uint64_t token, acks;
	size_t bytes;

	give_lines(w, 20);
	wire_run(w, 300 * MS);
	a.token = w->sender.token;
	assert_true(a.token != 0);
	bytes = datagram_write_ack(old, &a, key);
	receiver_free(w->receiver);
	wire_start_receiver(w);
	give_lines(w, 20);
	wire_run(w, 300 * MS);
	token = w->sender.token;
	assert_true(token != a.token);
	acks = w->sender.acks;
	sender_take(&w->sender, old, bytes);
	assert_true(w->sender.token == token);
	assert_int_equal(w->sender.acks, acks);
	assert_int_equal(w->sender.acks_refused, 1);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	wire_free(w);
}

/* Acknowledged lines are on the disk at any time. */
TEST(test_acknowledged_is_durable)
{
	struct wire *w = wire_new(5, NULL);

	w->loss = 20;
	w->delay_ns = 20 * MS;
	for (unsigned i = 0; i < 200; i++) {
		give_lines(w, 10);
		w->store.fail_sync = i % 7 == 0;
		wire_run(w, 7 * MS);
		assert_true(memory_durable(&w->store, WIRE_SID) >= w->acked);
	}
	assert_true(w->acked > 100);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	wire_free(w);
}

TEST(test_disk_full)
{
	struct wire *w = wire_new(3, NULL);
	struct memory_file *f;

	w->store.space = 60000;
	w->sender.setup.linger_ns = 20000 * MS;
	give_lines(w, 400);
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal(w->sender.refusal, DATAGRAM_NO_SPACE);
	assert_int_equal(sender_undelivered(&w->sender), 400 - w->acked);
	assert_true(w->acked > 0 && w->acked < 400);
	/* A batch was refused whole, until its datagrams came singly. */
	assert_int_equal(w->store.troubles, w->store.mended + 1);
	assert_in_range(w->store.troubles, 1, 3);
	/* Acknowledged lines are stored, and the last one is whole. */
	f = memory_file(&w->store, WIRE_SID);
	assert_int_equal(f->count, f->durable);
	assert_memory_equal(f->bytes, w->expected, f->count);
	assert_int_equal(f->bytes[f->count - 1], '\n');
	assert_true(w->receiver->counts.lines_unwritten > 0);
	wire_free(w);
}

TEST(test_disk_full_and_freed)
{
	struct wire *w = wire_new(4, NULL);

	w->store.space = 30000;
	give_lines(w, 200);
	wire_run(w, 2000 * MS);
	assert_int_equal(w->sender.refusal, DATAGRAM_NO_SPACE);
	w->store.space = 0;
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(w->sender.refusal, DATAGRAM_TAKEN);
	assert_int_equal(w->store.mended, w->store.troubles);
	assert_in_range(w->store.mended, 1, 3);
	assert_file(w);
	wire_free(w);
}

/* The very first line finds no room: no empty file stays, and no run is begun. */
TEST(test_disk_full_from_the_start)
{
	struct wire *w = wire_new(4, NULL);

	w->store.space = 1;
	give_lines(w, 5);
	w->sender.setup.linger_ns = 3000 * MS;
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal(sender_undelivered(&w->sender), 5);
	assert_null(memory_file(&w->store, WIRE_SID));
	assert_int_equal(w->receiver->counts.runs_begun, 0);
	wire_free(w);
}

TEST(test_nobody_answers)
{
	struct wire *w = wire_new(1, NULL);
	uint64_t begin;

	w->cut = true;
	w->sender.setup.linger_ns = 10000 * MS;
	for (unsigned i = 0; i < 100; i++)
		assert_true(wire_line(w, 100));
	begin = w->store.now_ns;
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal((w->store.now_ns - begin) / MS, 10000);
	assert_int_equal(sender_undelivered(&w->sender), 100);
	assert_true(sender_work(&w->sender) == UINT64_MAX);
	wire_free(w);
}

/* Without answer: after 200, 400, 800, 1600, 3200, 5000, 5000, ... ms; the same each time. */
TEST(test_back_off)
{
	static const uint64_t expected_ms[] = { 0,    200,   600,   1400,  3000,
						6200, 11200, 16200, 21200, 26200 };
	struct wire *w = wire_new(1, NULL);
	uint64_t begin, sent = 0;

	w->cut = true;
	assert_true(wire_line(w, 100));
	sender_flush(&w->sender);
	begin = w->store.now_ns;
	for (unsigned i = 0; i < sizeof(expected_ms) / sizeof(expected_ms[0]); i++) {
		uint64_t due = sender_work(&w->sender);

		assert_int_equal(w->sender.sent, ++sent);
		assert_int_equal((w->store.now_ns - begin) / MS, expected_ms[i]);
		/* The pace first, then the time to wait. */
		w->store.now_ns = due;
		due = sender_work(&w->sender);
		assert_int_equal(w->sender.sent, sent);
		w->store.now_ns = due;
	}
	wire_free(w);
}

/*
 * While nobody has answered, only the oldest datagram is sent again: thousands of nodes wait like
 * this.
 */
TEST(test_silence)
{
	struct wire *w = wire_new(1, NULL);

	w->cut = true;
	for (unsigned i = 0; i < 100; i++)
		assert_true(wire_line(w, 900));
	wire_run(w, 100 * MS);
	assert_int_equal(w->sender.sent, SENDER_WINDOW_FIRST);
	assert_int_equal(w->sender.sent_again, 0);
	wire_run(w, 3000 * MS);
	/* After 200, 600, 1400 and 3000 ms. */
	assert_int_equal(w->sender.sent_again, 4);
	w->cut = false;
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	wire_free(w);
}

/*
 * An answer with a token does not answer the datagram that is then sent with it; nor does a late
 * one.
 */
TEST(test_silence_after_token)
{
	struct datagram_ack late = { .state = DATAGRAM_CHALLENGE, .sid = WIRE_SID };
	struct wire *w = wire_new(1, key);
	uint8_t out[DATAGRAM_ACK_MAX];

	w->commit_ns = 60000 * MS;
	w->committed_ns = w->store.now_ns;
	for (unsigned i = 0; i < 100; i++)
		assert_true(wire_line(w, 900));
	wire_run(w, 100 * MS);
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
	assert_int_equal(w->sender.sent_again, 1);
	late.token = w->sender.token;
	sender_take(&w->sender, out, datagram_write_ack(out, &late, key));
	wire_run(w, 3000 * MS);
	/* After 200, 600, 1400 and 3000 ms. */
	assert_int_equal(w->sender.sent_again, 5);
	w->commit_ns = 5 * MS;
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	wire_free(w);
}

/* A busy collector answers once a second: nodes learn to wait, and send little twice. */
TEST(test_slow_answers)
{
	struct wire *w = wire_new(1, NULL);

	w->commit_ns = 1000 * MS;
	give_lines(w, 2000);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_true(w->sender.sent > 500);
	assert_true(w->sender.sent_again < w->sender.sent / 20);
	assert_file(w);
	wire_free(w);
}

/*
 * Commits take longer than the time after which silence is probed: what missed one is in the next,
 * and is sent once.
 */
TEST(test_slow_commits)
{
	struct wire *w = wire_new(1, NULL);
	struct receiver_commit *c;

	w->commit_ns = UINT64_MAX;
	for (unsigned i = 0; i < 200; i++)
		assert_true(wire_line(w, 900));
	sender_finish(&w->sender);
	while (sender_state(&w->sender) == SENDER_BUSY) {
		wire_run(w, 5 * MS);
		c = receiver_begin(w->receiver);
		assert_non_null(c);
		receiver_write(c);
		wire_run(w, SENDER_RETRY_MAX_NS + 2000 * MS);
		receiver_end(w->receiver, c);
		receiver_answer(w->receiver, c);
		wire_run(w, MS);
	}
	assert_int_equal(sender_state(&w->sender), SENDER_DELIVERED);
	assert_true(w->sender.sent_again < w->sender.sent / 10);
	assert_file(w);
	wire_free(w);
}

/*
 * If answers suddenly become slow, this is learned, even though everything was sent again
 * meanwhile.
 */
TEST(test_answers_grow_slow)
{
	struct wire *w = wire_new(1, NULL);
	uint64_t again;

	w->commit_ns = 10 * MS;
	give_lines(w, 500);
	w->commit_ns = 1000 * MS;
	give_lines(w, 1000);
	again = w->sender.sent_again;
	give_lines(w, 1000);
	assert_true(w->sender.sent_again - again < 25);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	wire_free(w);
}

/* The last datagram takes lines as long as it has room for them. */
TEST(test_room)
{
	struct wire *w = wire_new(1, NULL);
	unsigned lines = 0;

	while (sender_has_room(&w->sender, RECORD_LINE_MAX)) {
		assert_true(wire_line(w, 150));
		lines++;
	}
	assert_true(lines > 4 * (WIRE_SLOTS - 1));
	while (sender_has_room(&w->sender, 300))
		assert_true(wire_line(w, 150));
	assert_false(sender_has_room(&w->sender, 300));
	assert_false(wire_line(w, 300));
	wire_free(w);
}

/* If most datagrams are lost, fewer are in flight, and all lines still arrive. */
TEST(test_most_is_lost)
{
	struct wire *w = wire_new(1, NULL);
	uint32_t least = UINT32_MAX;

	w->loss = 50;
	for (unsigned i = 0; i < 200; i++) {
		while (!sender_has_room(&w->sender, DATAGRAM_LINES_MAX))
			wire_step(w);
		assert_true(wire_line(w, 900));
	}
	sender_finish(&w->sender);
	while (sender_state(&w->sender) == SENDER_BUSY) {
		wire_step(w);
		least = w->sender.window < least ? w->sender.window : least;
	}
	assert_int_equal(sender_state(&w->sender), SENDER_DELIVERED);
	assert_true(least < SENDER_WINDOW_FIRST);
	assert_file(w);
	wire_free(w);
}

/* Some loss costs little time: of 600 lines in some 180 datagrams a third is lost both ways. */
TEST(test_loss_costs_little)
{
	uint64_t ns = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct wire *w = wire_new(seed, NULL);

		w->loss = 30;
		w->delay_ns = 10 * MS;
		give_lines(w, 600);
		assert_int_equal(wire_finish(w), SENDER_DELIVERED);
		ns += w->store.now_ns;
		wire_free(w);
	}
	/* On the test's own clock; a fixed wait for each loss would take ten times as long. */
	assert_true(ns / 20 < 4000 * MS);
}

TEST(test_pace)
{
	struct wire *w = wire_new(1, NULL);

	for (unsigned i = 0; i < 50; i++)
		assert_true(wire_line(w, 1000));
	for (unsigned i = 0; i < 1000; i++) {
		sender_work(&w->sender);
		wire_deliver(w);
		if (i % 50 == 0)
			receiver_commit(w->receiver);
		w->store.now_ns += MS / 10;
		assert_true(w->sender.sent <= i / 10 + 1);
	}
	assert_true(w->sender.sent >= 40);
	wire_free(w);
}

/* Whole lines, as many as fit, and never more than 1,216 bytes. */
TEST(test_datagrams_are_filled)
{
	struct wire *w = wire_new(1, key);

	w->sender.token = 1;
	for (unsigned i = 0; i < 100; i++)
		assert_true(wire_line(w, 10));
	for (unsigned i = 0; i < 40; i++) {
		sender_work(&w->sender);
		w->store.now_ns += MS;
	}
	assert_true(w->sender.sent > 5 && w->sender.sent < 15);
	assert_true(w->count > 0);
	for (size_t i = 0; i < w->count; i++) {
		struct datagram d;

		assert_int_equal(datagram_read(w->flying[i].data, w->flying[i].bytes, key, &d),
				 DATAGRAM_OK);
		assert_true(w->flying[i].bytes <= 1216);
		assert_int_equal(d.text[d.bytes - 1], '\n');
	}
	wire_free(w);
}

/* A full ring loses what is new and reports it, and the collector does not wait for that. */
TEST(test_ring_full)
{
	struct wire *w = wire_new(1, NULL);
	unsigned lost = 0;
	struct store_run kept;

	wire_start_sender(w, 4);
	for (unsigned i = 0; i < 20; i++)
		lost += !wire_line(w, 900);
	assert_int_equal(lost, 16);
	assert_int_equal(sender_undelivered(&w->sender), 20);
	wire_run(w, 1000 * MS);
	for (unsigned i = 0; i < 2; i++)
		assert_true(wire_line(w, 900));
	/* Reported once: the datagram after it follows on this one. */
	assert_int_equal(w->slot[4 % 4].lost, 16);
	assert_int_equal(w->slot[5 % 4].lost, 0);
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal(sender_undelivered(&w->sender), 16);
	assert_file(w);
	store_find((struct store *)&w->store, WIRE_SID, &kept);
	assert_int_equal(kept.next, 22);
	assert_int_equal(kept.summary.lost, 16);
	wire_free(w);
}

TEST(test_line_too_long)
{
	static char line[DATAGRAM_LINES_MAX + 1];
	struct wire *w = wire_new(1, NULL);

	assert_false(sender_line(&w->sender, line, sizeof(line)));
	assert_false(sender_line(&w->sender, line, 0));
	assert_int_equal(sender_undelivered(&w->sender), 2);
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	wire_free(w);
}

static bool send_nothing(void *ctx, const uint8_t *bytes, size_t count)
{
	(void)ctx, (void)bytes, (void)count;
	return false;
}

/* A NIC that is busy costs no try. */
TEST(test_send_not_now)
{
	struct wire *w = wire_new(1, NULL);

	w->sender.setup.send = send_nothing;
	assert_true(wire_line(w, 900));
	sender_flush(&w->sender);
	wire_run(w, 500 * MS);
	assert_int_equal(w->sender.sent, 0);
	w->sender.setup.send = wire_send;
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(w->sender.sent, 1);
	wire_free(w);
}

/* A datagram counts as lost if a later one has arrived: it is sent again at once, and once. */
TEST(test_hurries_what_is_lost)
{
	struct wire *w = wire_new(1, NULL);

	assert_true(wire_line(w, 900));
	wire_run(w, 50 * MS);
	for (unsigned i = 0; i < 5; i++)
		assert_true(wire_line(w, 900));
	sender_work(&w->sender);
	assert_int_equal(w->count, 1);
	w->count = 0; /* lose all datagrams */
	wire_run(w, 100 * MS);
	assert_int_equal(w->sender.sent, 7);
	assert_int_equal(w->acked, 6);
	wire_free(w);
}

/* A network that swaps datagrams: few are sent again for it. */
TEST(test_swapped_is_not_lost)
{
	struct wire *w = wire_new(1, NULL);

	w->delay_ns = 20 * MS;
	give_lines(w, 1000);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_true(w->sender.sent_again < w->sender.sent / 8);
	assert_file(w);
	wire_free(w);
}

/*
 * A collector that is overrun loses most of the first flight, and answers the rest late. The oldest
 * is sent again after three round-trip times, and the others as soon as that is answered.
 */
TEST(test_first_flight_is_lost)
{
	struct wire *w = wire_new(1, NULL);
	uint64_t begin = w->store.now_ns;

	w->commit_ns = UINT64_MAX;
	for (unsigned i = 0; i < 16; i++)
		assert_true(wire_line(w, 900));
	wire_run(w, 2 * MS);
	assert_int_equal(w->sender.sent, 2);
	w->cut = true;
	wire_run(w, 30 * MS);
	assert_int_equal(w->sender.sent, 16);
	w->cut = false;
	wire_run(w, begin + 3500 * MS - w->store.now_ns);
	assert_int_equal(w->sender.sent_again, 4); /* without an answer: the oldest */
	w->commit_ns = 10 * MS;
	wire_run(w, 6900 * MS);
	assert_int_equal(w->acked, 2);
	wire_run(w, 300 * MS);
	assert_int_equal(w->acked, 16);
	assert_int_equal(w->sender.sent_again, 4 + 14);
	wire_free(w);
}

/* Acks that nobody sent, or that belong to others. */
static void forged_acks(const uint8_t *k)
{
	struct wire *w = wire_new(1, k);
	struct datagram_ack a = { .sid = WIRE_SID, .next = 3 };
	uint8_t out[DATAGRAM_ACK_MAX];

	w->cut = true;
	w->sender.token = 1;
	for (unsigned i = 0; i < 3; i++)
		assert_true(wire_line(w, 900));
	wire_run(w, 100 * MS);
	/* Refused acks: of another run; beyond what was sent; damaged; not signed. */
	a.sid++;
	sender_take(&w->sender, out, datagram_write_ack(out, &a, k));
	a.sid--;
	a.next = 4;
	sender_take(&w->sender, out, datagram_write_ack(out, &a, k));
	a.next = 3;
	datagram_write_ack(out, &a, k);
	out[24] ^= 1;
	sender_take(&w->sender, out, k ? 68 : 52);
	sender_take(&w->sender, out, 0);
	sender_take(&w->sender, out, datagram_write_ack(out, &a, k ? NULL : other_key));
	sender_take(&w->sender, out, datagram_write_ack(out, &a, other_key));
	assert_int_equal(sender_undelivered(&w->sender), 3);
	assert_int_equal(w->sender.acks_refused, 6);
	/* The true ack. */
	sender_take(&w->sender, out, datagram_write_ack(out, &a, k));
	assert_int_equal(sender_undelivered(&w->sender), 0);
	/* An ack that was overtaken takes nothing back. */
	a.next = 1;
	sender_take(&w->sender, out, datagram_write_ack(out, &a, k));
	assert_int_equal(sender_undelivered(&w->sender), 0);
	wire_free(w);
}

TEST(test_forged_acks)
{
	forged_acks(NULL);
	forged_acks(key);
}

/* ---- Several collectors ---- */

#define MOVED_LINES 600

/* The lines in a collector's file, counted in `seen`. */
static void mark_lines(struct memory_store *m, unsigned seen[MOVED_LINES])
{
	const struct memory_file *f = memory_file(m, WIRE_SID);
	struct store_run kept;
	const char *at = f->bytes, *newline;
	struct line line;

	memory_read(f, f->durable, &kept);
	assert_int_equal(kept.bytes, f->durable);
	for (; at < f->bytes + f->durable; at = newline + 1) {
		newline = memchr(at, '\n', f->durable);
		assert_true(store_line_read(at, (size_t)(newline - at), WIRE_SID, &line));
		seen[line.seq]++;
	}
}

static void feed(struct wire *w, unsigned lines)
{
	for (unsigned i = 0; i < lines; wire_step(w)) {
		if (sender_has_room(&w->sender, RECORD_LINE_MAX))
			i += wire_line(w, w->seq % 700);
		assert_true(w->store.now_ns < 600000 * MS);
	}
}

#define OWN_LINES 2

/* Begin with a key of its own, and with a log, as a machine does. */
static void begin_own(struct wire *w)
{
	static const uint8_t uuid[UUID_BYTES] = { 0xab };
	static uint8_t own[SIPHASH_KEY_BYTES];
	char line[RECORD_LINE_MAX], text[UUID_TEXT];
	size_t bytes;

	node_key(key, uuid, own);
	w->sender.setup.key = own;
	w->sender.setup.uuid = uuid;
	assert_true(wire_line(w, 0));
	sender_flush(&w->sender);
	uuid_print(uuid, text);
	bytes = run_begin(line, WIRE_SID, w->seq++, text);
	assert_true(sender_line(&w->sender, line, bytes));
}

/*
 * Another collector has the first one's address from one moment to the next, and later the first
 * has it again, as it was. Between them they have every line, and each begins anew where it must.
 */
static void move_and_back(const uint8_t *k, bool own, uint64_t seed)
{
	struct wire *w = wire_new(seed, k);
	struct memory_store other = { .files = 0 };
	struct receiver_setup setup = w->setup;
	struct receiver *first = w->receiver, *second;
	unsigned seen[MOVED_LINES] = { 0 };

	/* A ring so small that the node waits for each collector in turn. */
	wire_start_sender(w, 16);
	if (own)
		begin_own(w);
	setup.writer = setup.reader = (struct store *)&other;
	setup.secret[1]++;
	second = receiver_new(&setup);
	w->loss = w->twice = 10;
	w->delay_ns = 20 * MS;
	feed(w, MOVED_LINES / 3 - own * OWN_LINES);
	assert_true(w->sender.acked > 0);
	w->receiver = second;
	feed(w, MOVED_LINES / 3);
	w->receiver = first;
	feed(w, MOVED_LINES / 3);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(sender_undelivered(&w->sender), 0);
	mark_lines(&w->store, seen);
	mark_lines(&other, seen);
	for (unsigned i = 0; i < MOVED_LINES; i++)
		assert_true(seen[i] == 1 || seen[i] == 2);
	receiver_free(second);
	memory_free(&other);
	wire_free(w);
}

TEST(test_moves)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		move_and_back(NULL, false, seed);
		move_and_back(key, false, seed);
		move_and_back(key, true, seed);
	}
}

/* A refusal, which anybody can send, makes the node send neither less nor more. */
TEST(test_forged_refusals)
{
	const struct datagram_ack a = { .sid = WIRE_SID, .state = DATAGRAM_WRONG_KEY };
	struct wire *w = wire_new(1, key);
	uint8_t out[DATAGRAM_ACK_MAX];
	size_t bytes = datagram_write_ack(out, &a, NULL);

	for (unsigned i = 0; i < 300; i++) {
		assert_true(wire_line(w, 900));
		sender_flush(&w->sender);
		for (unsigned steps = 0; steps < 40; steps++) {
			sender_take(&w->sender, out, bytes);
			wire_step(w);
		}
	}
	assert_int_equal(w->sender.acked, 300);
	assert_file(w);
	assert_int_equal(w->sender.refusal, DATAGRAM_WRONG_KEY);
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
	assert_int_equal(w->receiver->counts.result[RECEIVER_TAKEN], 300);
	assert_int_equal(w->receiver->counts.result[RECEIVER_DUPLICATE], 0);
	wire_free(w);
}

/* Without its token nothing that is signed is taken: one datagram asks for it. */
TEST(test_asks_for_token)
{
	struct wire *w = wire_new(1, key);

	w->delay_ns = 40 * MS;
	for (unsigned i = 0; i < 30; i++)
		assert_true(wire_line(w, 900));
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file(w);
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
	wire_free(w);
}

/* An ack that was overtaken is no other collector: the file has no hole. */
TEST(test_overtaken_is_no_move)
{
	struct datagram_ack a = { .sid = WIRE_SID, .next = 1 };
	struct wire *w = wire_new(1, NULL);
	uint8_t out[DATAGRAM_ACK_MAX];
	struct store_run kept;

	for (unsigned i = 0; i < 40; i++) {
		feed(w, 5);
		sender_take(&w->sender, out, datagram_write_ack(out, &a, NULL));
	}
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	memory_read(memory_file(&w->store, WIRE_SID), w->expected_bytes, &kept);
	assert_int_equal(kept.next, 200);
	assert_int_equal(kept.summary.lost, 0);
	wire_free(w);
}

/* Keys that do not agree: nothing is delivered, and the node can report why. */
TEST(test_keys_disagree)
{
	static const struct {
		const uint8_t *node, *collector;
		enum datagram_state refusal;
		enum receiver_result result;
	} cases[] = {
		{ NULL, key, DATAGRAM_WANTS_KEY, RECEIVER_UNSIGNED },
		{ key, NULL, DATAGRAM_WITHOUT_KEY, RECEIVER_UNEXPECTED_SIGNATURE },
		{ other_key, key, DATAGRAM_WRONG_KEY, RECEIVER_FORGED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wire *w = wire_new(1, cases[i].collector);

		w->node_key = cases[i].node;
		wire_start_sender(w, WIRE_SLOTS);
		w->sender.setup.linger_ns = 3000 * MS;
		assert_true(wire_line(w, 100));
		assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
		assert_int_equal(w->sender.refusal, cases[i].refusal);
		assert_int_equal(w->store.files, 0);
		assert_true(w->receiver->counts.result[cases[i].result] > 0);
		wire_free(w);
	}
}

TEST(test_random_acks)
{
	struct wire *w = wire_new(1, NULL);

	w->cut = true;
	for (unsigned i = 0; i < 100; i++)
		assert_true(wire_line(w, 900));
	wire_run(w, 500 * MS);
	for (unsigned i = 0; i < 20000; i++) {
		struct datagram_ack a = { .sid = WIRE_SID,
					  .state = some_bits(&w->dice) % DATAGRAM_STATES,
					  .next = some_u64(&w->dice),
					  .base = some_u64(&w->dice),
					  .held = some_bits(&w->dice) };
		uint8_t out[DATAGRAM_ACK_MAX];
		uint64_t before = w->sender.acked;

		sender_take(&w->sender, out, datagram_write_ack(out, &a, NULL));
		assert_true(w->sender.acked >= before && w->sender.acked <= 100);
		sender_work(&w->sender);
		w->store.now_ns += MS;
	}
	wire_free(w);
}
