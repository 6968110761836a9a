/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sender, a receiver, and a network between them that loses, doubles and reorders datagrams in
 * both directions. All use one clock, which the test advances. The seed determines everything.
 */
#pragma once

#include "core/wire/sender.h"

#include "tests/unit/memory_store.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/some_records.h"

#include <stdio.h>

#define MS UINT64_C(1000000)

#define WIRE_SLOTS  256
#define WIRE_FLYING 512
#define WIRE_SID    UINT64_C(0xfeedfacecafebeef)

struct flying {
	uint64_t arrives_ns;
	bool to_node;
	size_t bytes;
	uint8_t data[DATAGRAM_MAX];
};

struct wire {
	struct memory_store store; /* first: the context of the receiver */
	struct some dice;
	unsigned loss, twice; /* per cent */
	uint64_t delay_ns;    /* at most; different delays reorder */
	bool cut;             /* nothing gets through */
	struct flying flying[WIRE_FLYING];
	size_t count;

	struct sender sender;
	struct sender_slot slot[WIRE_SLOTS];
	const uint8_t *node_key, *key;

	struct receiver *receiver;
	struct receiver_setup setup;
	uint64_t commit_ns; /* interval between commits */
	uint64_t committed_ns;

	uint64_t acked; /* the highest `next` that left the collector */
	char *expected; /* contents that the file must have */
	size_t expected_bytes, expected_room;
	uint64_t seq;
};

static inline void wire_put(struct wire *w, bool to_node, const uint8_t *bytes, size_t count)
{
	unsigned copies = some_bits(&w->dice) % 100 < w->twice ? 2 : 1;

	for (; copies; copies--) {
		struct flying *f = &w->flying[w->count];

		if (w->cut || some_bits(&w->dice) % 100 < w->loss || w->count == WIRE_FLYING)
			continue;
		f->arrives_ns = w->store.now_ns + some_bits(&w->dice) % (w->delay_ns + 1);
		f->to_node = to_node;
		f->bytes = count;
		memcpy(f->data, bytes, count);
		w->count++;
	}
}

static inline bool wire_send(void *ctx, const uint8_t *bytes, size_t count)
{
	wire_put(ctx, false, bytes, count);
	return true;
}

static inline void wire_reply(void *ctx, const struct rx_address *to, const uint8_t *bytes,
			      size_t count)
{
	struct wire *w = ctx;
	struct datagram_ack a;

	(void)to;
	if (datagram_read_ack(bytes, count, w->key, &a) == DATAGRAM_OK && a.next > w->acked)
		w->acked = a.next;
	wire_put(w, true, bytes, count);
}

/* Start a collector with the files that are on the disk. */
static inline void wire_start_receiver(struct wire *w)
{
	w->setup.key = w->key;
	w->setup.reply = wire_reply;
	w->receiver = memory_receiver(&w->store, &w->setup);
}

static inline void wire_start_sender(struct wire *w, uint32_t slots)
{
	const struct sender_setup setup = {
		.sid = WIRE_SID,
		.key = w->node_key,
		.slot = w->slot,
		.slots = slots,
		.pace_ns = MS,
		.linger_ns = 600000 * MS,
		.clock_ns = memory_clock,
		.send = wire_send,
		.ctx = w,
	};

	sender_start(&w->sender, &setup);
}

static inline struct wire *wire_new(uint64_t seed, const uint8_t *key)
{
	struct wire *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	some_start(&w->dice, seed);
	w->store.now_ns = MS;
	w->key = w->node_key = key;
	w->commit_ns = 5 * MS;
	w->setup = (struct receiver_setup){ .runs_known = 8,
					    .limits.runs_max = 8,
					    .hold_max = 1 << 20 };
	wire_start_receiver(w);
	wire_start_sender(w, WIRE_SLOTS);
	return w;
}

static inline void wire_free(struct wire *w)
{
	receiver_free(w->receiver);
	memory_free(&w->store);
	free(w->expected);
	free(w);
}

/* Make a record's line as its node writes it, with up to 1,024 bytes more; any type. */
static inline size_t wire_make_line(char *line, uint64_t sid, uint64_t seq, const char *type,
				    size_t pad)
{
	char rest[1040];

	snprintf(rest, sizeof(rest), ",\"x\":\"%0*d\"", (int)pad + 1, 0);
	return run_line(line, sid, seq, type, rest);
}

/* Write the node's next line. A line that the sender drops, as it has no room, is not expected. */
static inline bool wire_line(struct wire *w, size_t pad)
{
	char line[RECORD_LINE_MAX + 1];
	size_t bytes = wire_make_line(line, WIRE_SID, w->seq++, "gap", pad);

	if (!sender_line(&w->sender, line, bytes))
		return false;
	if (w->expected_bytes + bytes > w->expected_room) {
		w->expected_room = 2 * (w->expected_bytes + bytes);
		w->expected = realloc(w->expected, w->expected_room);
		if (!w->expected)
			abort();
	}
	memcpy(w->expected + w->expected_bytes, line, bytes);
	w->expected_bytes += bytes;
	return true;
}

static inline void wire_deliver(struct wire *w)
{
	static const struct rx_address nowhere;

	for (size_t i = 0; i < w->count;) {
		struct flying f = w->flying[i];

		if (f.arrives_ns > w->store.now_ns) {
			i++;
			continue;
		}
		w->flying[i] = w->flying[--w->count];
		if (f.to_node)
			sender_take(&w->sender, f.data, f.bytes);
		else if (w->receiver)
			receiver_take(w->receiver, f.data, f.bytes, &nowhere);
	}
}

static inline void wire_step(struct wire *w)
{
	w->store.now_ns += MS / 2;
	sender_work(&w->sender);
	wire_deliver(w);
	if (w->receiver && w->store.now_ns - w->committed_ns >= w->commit_ns) {
		w->committed_ns = w->store.now_ns;
		receiver_commit(w->receiver);
	}
}

static inline void wire_run(struct wire *w, uint64_t ns)
{
	for (uint64_t end = w->store.now_ns + ns; w->store.now_ns < end;)
		wire_step(w);
}

/* Run until the sender is finished. Returns its state. */
static inline enum sender_state wire_finish(struct wire *w)
{
	sender_finish(&w->sender);
	while (sender_state(&w->sender) == SENDER_BUSY)
		wire_step(w);
	return sender_state(&w->sender);
}
