/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The datagram path of both ends. The input is a row of orders, each a byte and what it
 * takes: raw bytes for either end, or fields of a datagram or an ack whose CRC, tag and lines
 * are made right, because a fuzzer cannot guess them. Whatever comes, the collector's file
 * holds whole lines in order, and no ack covers more than is durable.
 */
#include "host/lib/node_key.h"

#include "core/wire/sender.h"

#include "tests/fuzz/take.h"
#include "tests/unit/wire.h"

#define SLOTS 8
#define SIDS  4

enum order { RAW_DATA, RAW_ACK, DATA, ACK, COMMIT, RESTART, FULL, FAIL, TIME, LINE, STEP, ORDERS };

static struct fuzzed {
	struct memory_store store; /* first: the context of the receiver */
	struct receiver_setup setup;
	struct receiver *receiver;
	struct receiver_commit *commit; /* NULL: none */
	bool is_written;
	struct sender sender;
	struct sender_slot slot[SLOTS];
	uint64_t token[SIDS];
	const uint8_t *key, *own_key; /* NULL: none */
	uint8_t own[SIPHASH_KEY_BYTES];
} f;

/* The node with a key of its own. */
#define UUID "4c4c4544-0000-0000-0000-000000000000"
static const uint8_t uuid[UUID_BYTES] = { 0x4c, 0x4c, 0x45, 0x44 };

static bool send_bytes(void *ctx, const uint8_t *bytes, size_t count)
{
	struct datagram d;

	(void)ctx;
	insist(datagram_read(bytes, count, f.key, &d) == DATAGRAM_OK);
	return true;
}

static void reply(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count)
{
	struct datagram_ack a;

	(void)ctx, (void)to;
	if (datagram_read_ack(bytes, count, f.key, &a) == DATAGRAM_OK ||
	    datagram_read_ack(bytes, count, f.own_key, &a) == DATAGRAM_OK) {
		if (a.sid < SIDS && a.token)
			f.token[a.sid] = a.token;
		insist(a.next <= memory_durable(&f.store, a.sid));
	}
	sender_take(&f.sender, bytes, count);
}

static void start(const uint8_t *key)
{
	const struct sender_setup setup = { .sid = 1,
					    .key = key,
					    .slot = f.slot,
					    .slots = SLOTS,
					    .linger_ns = 1000 * MS,
					    .clock_ns = memory_clock,
					    .send = send_bytes,
					    .ctx = &f };

	memset(&f, 0, sizeof(f));
	f.key = key;
	if (key) {
		node_key(key, uuid, f.own);
		f.own_key = f.own;
	}
	f.setup = (struct receiver_setup){
		.key = key, .runs_known = 3, .limits.runs_max = 3, .hold_max = 4096, .reply = reply
	};
	sender_start(&f.sender, &setup);
	f.receiver = memory_receiver(&f.store, &f.setup);
}

static void give(const uint8_t *bytes, size_t count, bool is_ack)
{
	static const struct rx_address nowhere;
	uint8_t *copy = exact(bytes, count);

	if (is_ack)
		sender_take(&f.sender, copy, count);
	else
		receiver_take(f.receiver, copy, count, &nowhere);
	free(copy);
}

static void give_raw(bool is_ack)
{
	size_t count = take_number(2), left = (size_t)(take.end - take.at);

	if (count > left)
		count = left;
	give(take.at, count, is_ack);
	take.at += count;
}

static size_t make_line(char *line, const struct datagram *d, uint64_t seq, uint8_t how)
{
	static const char *const types[] = { "gap", "begin", "end", "x" };

	if (d->uuid && how == 1)
		return run_begin(line, d->sid, seq, UUID);
	return wire_make_line(line, d->sid, seq, types[how & 3], how >> 2);
}

static void give_data(void)
{
	char text[8 * (RECORD_LINE_MAX + 1)];
	uint8_t first = take_byte();
	struct datagram d = { .sid = first % SIDS, .text = text };
	uint8_t out[DATAGRAM_MAX];

	d.uuid = first & 0x40 ? uuid : NULL;
	d.seq = take_sized();
	d.number = take_sized();
	d.lost = (uint32_t)take_sized();
	d.token = take_byte() % 2 ? f.token[d.sid] : take_sized();
	d.lines = take_byte() % 8;
	for (unsigned i = 0; i < d.lines; i++)
		d.bytes += make_line(text + d.bytes, &d, d.seq + i, take_byte());
	give(out, datagram_write(out, &d, first & 0x80 ? f.own_key : f.key), false);
}

static void give_ack(void)
{
	struct datagram_ack a = { .sid = 1, .state = take_byte() % DATAGRAM_STATES };
	uint8_t out[DATAGRAM_ACK_MAX];

	a.next = take_sized();
	a.base = take_sized();
	a.held = take_sized();
	a.token = take_sized();
	give(out, datagram_write_ack(out, &a, take_byte() % 8 ? f.key : NULL), true);
}

static void give_line(void)
{
	char line[RECORD_LINE_MAX + 1];

	sender_line(&f.sender, line,
		    wire_make_line(line, 1, f.sender.next_seq, "gap", 4u * take_byte()));
}

/* The next step of the commit. */
static void step(void)
{
	if (!f.commit) {
		f.commit = receiver_begin(f.receiver);
		f.is_written = false;
	} else if (!f.is_written) {
		receiver_write(f.commit);
		f.is_written = true;
	} else {
		receiver_end(f.receiver, f.commit);
		receiver_answer(f.receiver, f.commit);
		f.commit = NULL;
	}
}

static void finish_commit(void)
{
	while (f.commit)
		step();
}

static void restart(void)
{
	finish_commit();
	receiver_free(f.receiver);
	store_rollback((struct store *)&f.store);
	f.receiver = memory_receiver(&f.store, &f.setup);
}

static void obey(void)
{
	switch ((enum order)(take_byte() % ORDERS)) {
	case RAW_DATA:
		give_raw(false);
		break;
	case RAW_ACK:
		give_raw(true);
		break;
	case DATA:
		give_data();
		break;
	case ACK:
		give_ack();
		break;
	case COMMIT:
		finish_commit();
		receiver_commit(f.receiver);
		break;
	case STEP:
		step();
		break;
	case RESTART:
		restart();
		break;
	case FULL:
		f.store.space = take_sized() % 8192;
		break;
	case FAIL:
		f.store.fail_sync = take_byte() % 4;
		break;
	case TIME:
		f.store.now_ns += take_sized() >> 8;
		break;
	default:
		give_line();
	}
	sender_work(&f.sender);
}

/* Check that the file has whole lines of that run, in order. */
static void check_file(struct memory_file *file)
{
	struct store_run kept;

	if (file->gone)
		return;
	memory_read(file, file->count, &kept);
	insist(kept.bytes == file->count);
}

FUZZ(0, 1 << 16)
{
	static const uint8_t key[SIPHASH_KEY_BYTES + 1] = "sixteen bytes 16";

	start(take_byte() % 2 ? key : NULL);
	while (take_more())
		obey();
	finish_commit();
	receiver_commit(f.receiver);
	insist(sender_undelivered(&f.sender) <= f.sender.next_seq);
	sender_finish(&f.sender);
	for (unsigned i = 0; i < 2000 && sender_state(&f.sender) == SENDER_BUSY; i++) {
		sender_work(&f.sender);
		f.store.now_ns += MS;
	}
	insist(sender_state(&f.sender) != SENDER_BUSY);
	for (size_t i = 0; i < f.store.files; i++)
		check_file(&f.store.file[i]);
	receiver_free(f.receiver);
	memory_free(&f.store);
}
