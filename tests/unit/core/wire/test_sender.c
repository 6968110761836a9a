/* SPDX-License-Identifier: BSD-2-Clause */
/* A node, a collector and what may happen between them. */
#include "tests/unit/common/test.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/wire.h"

#include "host/lib/node_key.h"

static const uint8_t key[SIPHASH_KEY_BYTES + 1] = "sixteen bytes 16";
static const uint8_t other_key[SIPHASH_KEY_BYTES + 1] = "another sixteen!";

static struct wire *w;

/* Begin again with another seed or key. */
static void renew(uint64_t seed, const uint8_t *k)
{
	if (w)
		wire_free(w);
	w = wire_new(seed, k);
}

static void start(void)
{
	renew(1, NULL);
}

static void finish(void)
{
	wire_free(w);
	w = NULL;
}

static void assert_file(void)
{
	struct memory_file *f = memory_file(&w->store, WIRE_SID);

	assert_non_null(f);
	assert_int_equal(f->durable, w->expected_bytes);
	assert_memory_equal(f->bytes, w->expected, w->expected_bytes);
}

static void assert_delivered(void)
{
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_file();
}

/* Give lines of one length; there is room for them. */
static void give_equal(unsigned lines, unsigned bytes)
{
	for (unsigned i = 0; i < lines; i++)
		assert_true(wire_line(w, bytes));
}

/* Give lines of many lengths, for several rings, as room becomes free. */
static void give_lines(unsigned lines)
{
	for (unsigned i = 0; i < lines; i++) {
		while (!sender_has_room(&w->sender, DATAGRAM_LINES_MAX))
			wire_step(w);
		assert_true(wire_line(w, some_bits(&w->dice) % 900));
	}
}

TEST_F(start, finish, test_quiet_network)
{
	give_lines(2000);
	assert_delivered();
	assert_int_equal(sender_undelivered(&w->sender), 0);
	assert_int_equal(w->sender.sent_again, 0);
	assert_int_equal(w->sender.acks_refused, 0);
	assert_int_equal(w->receiver->counts.result[RECEIVER_DUPLICATE], 0);
	assert_int_equal(w->receiver->counts.lines, 2000);
}

/* 30 % lost, 10 % doubled, any order, both ways: complete, and each line once. */
TEST_F(start, finish, test_bad_network)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		renew(seed, seed % 2 ? key : NULL);
		w->loss = 30;
		w->twice = 10;
		w->delay_ns = 30 * MS;
		give_lines(1000);
		assert_delivered();
		assert_true(w->receiver->counts.result[RECEIVER_HELD] > 0);
		assert_true(w->receiver->counts.result[RECEIVER_DUPLICATE] > 0);
	}
}

/* The collector dies again and again; once with the machine, once alone. */
TEST_F(start, finish, test_collector_dies)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		renew(seed, seed % 2 ? key : NULL);
		w->loss = 10;
		w->delay_ns = 10 * MS;
		for (unsigned round = 0; round < 6; round++) {
			give_lines(150);
			wire_run(w, 50 * MS);
			receiver_free(w->receiver);
			w->receiver = NULL;
			store_rollback((struct store *)&w->store);
			wire_run(w, 300 * MS);
			wire_start_receiver(w);
		}
		assert_delivered();
	}
}

/* Acks of a collector that was restarted since, recorded and sent once more, change nothing. */
TEST_F(start, finish, test_old_ack)
{
	struct datagram_ack a = { .sid = WIRE_SID };
	uint8_t old[DATAGRAM_ACK_MAX];
	uint64_t token, acks;
	size_t bytes;

	renew(6, key);
	give_lines(20);
	wire_run(w, 300 * MS);
	a.token = w->sender.token;
	assert_true(a.token != 0);
	bytes = datagram_write_ack(old, &a, key);
	receiver_free(w->receiver);
	wire_start_receiver(w);
	give_lines(20);
	wire_run(w, 300 * MS);
	token = w->sender.token;
	assert_true(token != a.token);
	acks = w->sender.acks;
	sender_take(&w->sender, old, bytes);
	assert_true(w->sender.token == token);
	assert_int_equal(w->sender.acks, acks);
	assert_int_equal(w->sender.acks_refused, 1);
	assert_delivered();
}

/* Acknowledged lines are on the disk at any time. */
TEST_F(start, finish, test_acknowledged_is_durable)
{
	w->loss = 20;
	w->delay_ns = 20 * MS;
	for (unsigned i = 0; i < 200; i++) {
		give_lines(10);
		w->store.fail_sync = i % 7 == 0;
		wire_run(w, 7 * MS);
		assert_true(memory_durable(&w->store, WIRE_SID) >= w->acked);
	}
	assert_true(w->acked > 100);
	assert_delivered();
}

TEST_F(start, finish, test_disk_full)
{
	struct memory_file *f;

	w->store.space = 60000;
	w->sender.setup.linger_ns = 20000 * MS;
	give_lines(400);
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
}

TEST_F(start, finish, test_disk_full_and_freed)
{
	w->store.space = 30000;
	give_lines(200);
	wire_run(w, 2000 * MS);
	assert_int_equal(w->sender.refusal, DATAGRAM_NO_SPACE);
	w->store.space = 0;
	assert_delivered();
	assert_int_equal(w->sender.refusal, DATAGRAM_TAKEN);
	assert_int_equal(w->store.mended, w->store.troubles);
	assert_in_range(w->store.mended, 1, 3);
}

/* The very first line finds no room: no empty file stays, and no run is begun. */
TEST_F(start, finish, test_disk_full_from_the_start)
{
	w->store.space = 1;
	give_lines(5);
	w->sender.setup.linger_ns = 3000 * MS;
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal(sender_undelivered(&w->sender), 5);
	assert_null(memory_file(&w->store, WIRE_SID));
	assert_int_equal(w->receiver->counts.runs_begun, 0);
}

TEST_F(start, finish, test_nobody_answers)
{
	uint64_t begin;

	w->cut = true;
	w->sender.setup.linger_ns = 10000 * MS;
	give_equal(100, 100);
	begin = w->store.now_ns;
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal((w->store.now_ns - begin) / MS, 10000);
	assert_int_equal(sender_undelivered(&w->sender), 100);
	assert_true(sender_work(&w->sender) == UINT64_MAX);
}

/* Without answer: after 200, 400, 800, 1600, 3200, 5000, 5000, ... ms; the same each time. */
TEST_F(start, finish, test_back_off)
{
	static const uint64_t expected_ms[] = { 0,    200,   600,   1400,  3000,
						6200, 11200, 16200, 21200, 26200 };
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
}

/*
 * While nobody has answered, only the oldest datagram is sent again: thousands of nodes wait like
 * this.
 */
TEST_F(start, finish, test_silence)
{
	w->cut = true;
	give_equal(100, 900);
	wire_run(w, 100 * MS);
	assert_int_equal(w->sender.sent, SENDER_WINDOW_FIRST);
	assert_int_equal(w->sender.sent_again, 0);
	wire_run(w, 3000 * MS);
	/* After 200, 600, 1400 and 3000 ms. */
	assert_int_equal(w->sender.sent_again, 4);
	w->cut = false;
	assert_delivered();
}

/*
 * An answer with a token does not answer the datagram that is then sent with it; nor does a late
 * one.
 */
TEST_F(start, finish, test_silence_after_token)
{
	struct datagram_ack late = { .state = DATAGRAM_CHALLENGE, .sid = WIRE_SID };
	uint8_t out[DATAGRAM_ACK_MAX];

	renew(1, key);
	w->commit_ns = 60000 * MS;
	w->committed_ns = w->store.now_ns;
	give_equal(100, 900);
	wire_run(w, 100 * MS);
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
	assert_int_equal(w->sender.sent_again, 1);
	late.token = w->sender.token;
	sender_take(&w->sender, out, datagram_write_ack(out, &late, key));
	wire_run(w, 3000 * MS);
	/* After 200, 600, 1400 and 3000 ms. */
	assert_int_equal(w->sender.sent_again, 5);
	w->commit_ns = 5 * MS;
	assert_delivered();
}

/* A busy collector answers once a second: nodes learn to wait, and send little twice. */
TEST_F(start, finish, test_slow_answers)
{
	w->commit_ns = 1000 * MS;
	give_lines(2000);
	assert_delivered();
	assert_true(w->sender.sent > 500);
	assert_true(w->sender.sent_again < w->sender.sent / 20);
}

/*
 * Commits take longer than the time after which silence is probed: what missed one is in the next,
 * and is sent once.
 */
TEST_F(start, finish, test_slow_commits)
{
	struct receiver_commit *c;

	w->commit_ns = UINT64_MAX;
	give_equal(200, 900);
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
	assert_file();
}

/*
 * If answers suddenly become slow, this is learned, even though everything was sent again
 * meanwhile.
 */
TEST_F(start, finish, test_answers_grow_slow)
{
	uint64_t again;

	w->commit_ns = 10 * MS;
	give_lines(500);
	w->commit_ns = 1000 * MS;
	give_lines(1000);
	again = w->sender.sent_again;
	give_lines(1000);
	assert_true(w->sender.sent_again - again < 25);
	assert_delivered();
}

/* The last datagram takes lines as long as it has room for them. */
TEST_F(start, finish, test_room)
{
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
}

/* If most datagrams are lost, fewer are in flight, and all lines still arrive. */
TEST_F(start, finish, test_most_is_lost)
{
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
	assert_file();
}

/* Some loss costs little time: of 600 lines in some 180 datagrams a third is lost both ways. */
TEST_F(start, finish, test_loss_costs_little)
{
	uint64_t ns = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		renew(seed, NULL);
		w->loss = 30;
		w->delay_ns = 10 * MS;
		give_lines(600);
		assert_int_equal(wire_finish(w), SENDER_DELIVERED);
		ns += w->store.now_ns;
	}
	/* On the test's own clock; a fixed wait for each loss would take ten times as long. */
	assert_true(ns / 20 < 4000 * MS);
}

TEST_F(start, finish, test_pace)
{
	give_equal(50, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		sender_work(&w->sender);
		wire_deliver(w);
		if (i % 50 == 0)
			receiver_commit(w->receiver);
		w->store.now_ns += MS / 10;
		assert_true(w->sender.sent <= i / 10 + 1);
	}
	assert_true(w->sender.sent >= 40);
}

/* Whole lines, as many as fit, and never more than 1,216 bytes. */
TEST_F(start, finish, test_datagrams_are_filled)
{
	renew(1, key);
	w->sender.token = 1;
	give_equal(100, 10);
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
}

/* A full ring loses what is new and reports it, and the collector does not wait for that. */
TEST_F(start, finish, test_ring_full)
{
	unsigned lost = 0;
	struct store_run kept;

	wire_start_sender(w, 4);
	for (unsigned i = 0; i < 20; i++)
		lost += !wire_line(w, 900);
	assert_int_equal(lost, 16);
	assert_int_equal(sender_undelivered(&w->sender), 20);
	wire_run(w, 1000 * MS);
	give_equal(2, 900);
	/* Reported once: the datagram after it follows on this one. */
	assert_int_equal(w->slot[4 % 4].lost, 16);
	assert_int_equal(w->slot[5 % 4].lost, 0);
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
	assert_int_equal(sender_undelivered(&w->sender), 16);
	assert_file();
	store_find((struct store *)&w->store, WIRE_SID, &kept);
	assert_int_equal(kept.next, 22);
	assert_int_equal(kept.summary.lost, 16);
}

TEST_F(start, finish, test_line_too_long)
{
	static char line[DATAGRAM_LINES_MAX + 1];

	assert_false(sender_line(&w->sender, line, sizeof(line)));
	assert_false(sender_line(&w->sender, line, 0));
	assert_int_equal(sender_undelivered(&w->sender), 2);
	assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
}

static bool send_nothing(void *ctx, const uint8_t *bytes, size_t count)
{
	(void)ctx, (void)bytes, (void)count;
	return false;
}

/* A NIC that is busy costs no try. */
TEST_F(start, finish, test_send_not_now)
{
	w->sender.setup.send = send_nothing;
	assert_true(wire_line(w, 900));
	sender_flush(&w->sender);
	wire_run(w, 500 * MS);
	assert_int_equal(w->sender.sent, 0);
	w->sender.setup.send = wire_send;
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(w->sender.sent, 1);
}

/* A datagram counts as lost if a later one has arrived: it is sent again at once, and once. */
TEST_F(start, finish, test_hurries_what_is_lost)
{
	assert_true(wire_line(w, 900));
	wire_run(w, 50 * MS);
	give_equal(5, 900);
	sender_work(&w->sender);
	assert_int_equal(w->count, 1);
	w->count = 0; /* lose all datagrams */
	wire_run(w, 100 * MS);
	assert_int_equal(w->sender.sent, 7);
	assert_int_equal(w->acked, 6);
}

/* A network that swaps datagrams: few are sent again for it. */
TEST_F(start, finish, test_swapped_is_not_lost)
{
	w->delay_ns = 20 * MS;
	give_lines(1000);
	assert_delivered();
	assert_true(w->sender.sent_again < w->sender.sent / 8);
}

/*
 * A collector that is overrun loses most of the first flight, and answers the rest late. The oldest
 * is sent again after three round-trip times, and the others as soon as that is answered.
 */
TEST_F(start, finish, test_first_flight_is_lost)
{
	uint64_t begin = w->store.now_ns;

	w->commit_ns = UINT64_MAX;
	give_equal(16, 900);
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
}

/* Acks that nobody sent, or that belong to others. */
static void forged_acks(const uint8_t *k)
{
	struct datagram_ack a = { .sid = WIRE_SID, .next = 3 };
	uint8_t out[DATAGRAM_ACK_MAX];

	renew(1, k);
	w->cut = true;
	w->sender.token = 1;
	give_equal(3, 900);
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
}

TEST_F(start, finish, test_forged_acks)
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

static void feed(unsigned lines)
{
	for (unsigned i = 0; i < lines; wire_step(w)) {
		if (sender_has_room(&w->sender, RECORD_LINE_MAX))
			i += wire_line(w, w->seq % 700);
		assert_true(w->store.now_ns < 600000 * MS);
	}
}

#define OWN_LINES 2

/* Begin with a key of its own, and with a log, as a machine does. */
static void begin_own(void)
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
	struct memory_store other = { .files = 0 };
	struct receiver *first, *second;
	unsigned seen[MOVED_LINES] = { 0 };
	struct receiver_setup setup;

	renew(seed, k);
	first = w->receiver;
	/* A ring so small that the node waits for each collector in turn. */
	wire_start_sender(w, 16);
	if (own)
		begin_own();
	setup = w->setup;
	setup.writer = setup.reader = (struct store *)&other;
	setup.secret[1]++;
	second = receiver_new(&setup);
	w->loss = w->twice = 10;
	w->delay_ns = 20 * MS;
	feed(MOVED_LINES / 3 - own * OWN_LINES);
	assert_true(w->sender.acked > 0);
	w->receiver = second;
	feed(MOVED_LINES / 3);
	w->receiver = first;
	feed(MOVED_LINES / 3);
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	assert_int_equal(sender_undelivered(&w->sender), 0);
	mark_lines(&w->store, seen);
	mark_lines(&other, seen);
	for (unsigned i = 0; i < MOVED_LINES; i++)
		assert_true(seen[i] == 1 || seen[i] == 2);
	receiver_free(second);
	memory_free(&other);
}

TEST_F(start, finish, test_moves)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		move_and_back(NULL, false, seed);
		move_and_back(key, false, seed);
		move_and_back(key, true, seed);
	}
}

/* A refusal, which anybody can send, makes the node send neither less nor more. */
TEST_F(start, finish, test_forged_refusals)
{
	const struct datagram_ack a = { .sid = WIRE_SID, .state = DATAGRAM_WRONG_KEY };
	uint8_t out[DATAGRAM_ACK_MAX];
	size_t bytes = datagram_write_ack(out, &a, NULL);

	renew(1, key);
	for (unsigned i = 0; i < 300; i++) {
		assert_true(wire_line(w, 900));
		sender_flush(&w->sender);
		for (unsigned steps = 0; steps < 40; steps++) {
			sender_take(&w->sender, out, bytes);
			wire_step(w);
		}
	}
	assert_int_equal(w->sender.acked, 300);
	assert_file();
	assert_int_equal(w->sender.refusal, DATAGRAM_WRONG_KEY);
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
	assert_int_equal(w->receiver->counts.result[RECEIVER_TAKEN], 300);
	assert_int_equal(w->receiver->counts.result[RECEIVER_DUPLICATE], 0);
}

/* Without its token nothing that is signed is taken: one datagram asks for it. */
TEST_F(start, finish, test_asks_for_token)
{
	renew(1, key);
	w->delay_ns = 40 * MS;
	give_equal(30, 900);
	assert_delivered();
	assert_int_equal(w->receiver->counts.result[RECEIVER_CHALLENGED], 1);
}

/* An ack that was overtaken is no other collector: the file has no hole. */
TEST_F(start, finish, test_overtaken_is_no_move)
{
	struct datagram_ack a = { .sid = WIRE_SID, .next = 1 };
	uint8_t out[DATAGRAM_ACK_MAX];
	struct store_run kept;

	for (unsigned i = 0; i < 40; i++) {
		feed(5);
		sender_take(&w->sender, out, datagram_write_ack(out, &a, NULL));
	}
	assert_int_equal(wire_finish(w), SENDER_DELIVERED);
	memory_read(memory_file(&w->store, WIRE_SID), w->expected_bytes, &kept);
	assert_int_equal(kept.next, 200);
	assert_int_equal(kept.summary.lost, 0);
}

/* Keys that do not agree: nothing is delivered, and the node can report why. */
TEST_F(start, finish, test_keys_disagree)
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
		renew(1, cases[i].collector);
		w->node_key = cases[i].node;
		wire_start_sender(w, WIRE_SLOTS);
		w->sender.setup.linger_ns = 3000 * MS;
		assert_true(wire_line(w, 100));
		assert_int_equal(wire_finish(w), SENDER_GAVE_UP);
		assert_int_equal(w->sender.refusal, cases[i].refusal);
		assert_int_equal(w->store.files, 0);
		assert_true(w->receiver->counts.result[cases[i].result] > 0);
	}
}

TEST_F(start, finish, test_random_acks)
{
	w->cut = true;
	give_equal(100, 900);
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
}
