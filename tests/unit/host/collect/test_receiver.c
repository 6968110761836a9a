/* SPDX-License-Identifier: BSD-2-Clause */
/* The collector's judgement: what is hostile, what is forged, and how much it remembers. */
#include "host/lib/node_key.h"

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/wire.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <malloc.h>
#include <strings.h>

static const uint8_t key[SIPHASH_KEY_BYTES + 1] = "sixteen bytes 16";
static const struct rx_address nowhere;

#define MINE  "4c4c4544-0042-3510-8052-b4c04f4e3732"
#define OTHER "11111111-2222-3333-4444-55555555555f"
static const struct rx_address elsewhere = {
	.from.v4 = { .sin_family = AF_INET, .sin_port = 1, .sin_addr = { 1 } }
};

/* A receiver alone; what it answered last. */
static struct {
	struct memory_store store; /* first: the context of the receiver */
	struct receiver_setup setup;
	struct receiver *receiver;
	unsigned replies;
	uint8_t reply[DATAGRAM_ACK_MAX];
	size_t reply_bytes;
	struct datagram_ack ack;
	enum datagram_result ack_result; /* reading by the sender of the latest datagram */
	struct rx_address to;
} it;

static void its_reply(void *ctx, const struct rx_address *to, const uint8_t *bytes, size_t count)
{
	(void)ctx;
	it.to = *to;
	it.replies++;
	memcpy(it.reply, bytes, count);
	it.reply_bytes = count;
	it.ack_result = datagram_read_ack(bytes, count, it.setup.key, &it.ack);
}

static void start_receiver(const uint8_t *k)
{
	it.setup.key = k;
	it.receiver = memory_receiver(&it.store, &it.setup);
}

/* With what is stored. */
static void restart(const uint8_t *k)
{
	receiver_free(it.receiver);
	start_receiver(k);
}

/* With nothing stored. */
static void start_anew(const uint8_t *k)
{
	receiver_free(it.receiver);
	memory_free(&it.store);
	start_receiver(k);
}

static void start(void)
{
	memset(&it, 0, sizeof(it));
	it.store.now_ns = 1;
	it.setup = (struct receiver_setup){
		.runs_known = 16,
		.limits.runs_max = 32,
		.hold_max = 1 << 20,
		.reply = its_reply,
	};
}

static void teardown(void)
{
	receiver_free(it.receiver);
	memory_free(&it.store);
}

/* Runs that a collector finds in its folder, or removes from it. */
static struct receiver_stored stored(const struct rx_address *from, uint64_t bytes)
{
	return (struct receiver_stored){ .from = *from, .uuid = "", .bytes = bytes };
}

static void add_stored(const struct rx_address *from, uint64_t bytes)
{
	const struct receiver_stored s = stored(from, bytes);

	receiver_add_stored(it.receiver, &s);
}

/* Remove a stored run that is not in memory. */
static void remove_stored(const struct rx_address *from, uint64_t bytes)
{
	const struct receiver_stored s = stored(from, bytes);

	receiver_remove_stored(it.receiver, UINT64_MAX, &s);
}

/* The sanitizers count for themselves; without them libc does. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks;
}

/* `lines` lines of a run from `seq` on, as one datagram. */
static size_t make(uint8_t *out, uint64_t sid, uint64_t seq, unsigned lines, uint64_t number,
		   uint64_t token)
{
	char text[DATAGRAM_LINES_MAX];
	struct datagram d = { .sid = sid,
			      .token = token,
			      .seq = seq,
			      .number = number,
			      .lines = (uint16_t)lines,
			      .text = text };

	for (unsigned i = 0; i < lines; i++)
		d.bytes += wire_make_line(text + d.bytes, sid, seq + i, "gap", 20);
	return datagram_write(out, &d, it.setup.key);
}

static enum receiver_result take_at(const struct rx_address *from, uint64_t sid, uint64_t seq,
				    unsigned lines, uint64_t token)
{
	uint8_t out[DATAGRAM_MAX];

	return receiver_take(it.receiver, out, make(out, sid, seq, lines, seq, token), from);
}

static enum receiver_result take(uint64_t sid, uint64_t seq, unsigned lines, uint64_t number,
				 uint64_t token)
{
	uint8_t out[DATAGRAM_MAX];
	size_t bytes = make(out, sid, seq, lines, number, token);

	return receiver_take(it.receiver, out, bytes, &nowhere);
}

/* The datagram is taken, and all that was taken is committed. */
static void take_durably(uint64_t sid, uint64_t seq, unsigned lines, uint64_t number,
			 uint64_t token)
{
	assert_int_equal(take(sid, seq, lines, number, token), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
}

static uint64_t next_of(uint64_t sid)
{
	return memory_durable(&it.store, sid);
}

/* Commit: the run's lines before `next` are durable then. */
#define assert_durable(sid, next)                     \
	do {                                          \
		receiver_commit(it.receiver);         \
		assert_int_equal(next_of(sid), next); \
	} while (0)

TEST_F(start, teardown, test_order)
{
	start_receiver(NULL);
	/* No lines are stored, and only this is answered. */
	assert_int_equal(take(7, 2, 2, 1, 0), RECEIVER_UNKNOWN_RUN);
	assert_int_equal(it.replies, 1);
	assert_int_equal(it.ack.state, DATAGRAM_TAKEN);
	assert_int_equal(it.ack.next, 0);
	it.replies = 0;
	assert_int_equal(take(7, 0, 2, 0, 0), RECEIVER_TAKEN);
	assert_int_equal(take(7, 4, 2, 2, 0), RECEIVER_HELD);
	assert_int_equal(take(7, 4, 2, 2, 0), RECEIVER_DUPLICATE);
	assert_int_equal(take(7, 8, 1, 4, 0), RECEIVER_HELD);
	/* There is no answer before the lines are durable. */
	assert_int_equal(it.replies, 0);
	receiver_commit(it.receiver);
	assert_int_equal(it.replies, 1);
	assert_int_equal(it.ack.next, 2);
	assert_int_equal(it.ack.base, 2);
	assert_int_equal(it.ack.held, 5);
	assert_int_equal(take(7, 2, 2, 1, 0), RECEIVER_TAKEN);
	assert_int_equal(take(7, 0, 2, 0, 0), RECEIVER_DUPLICATE);
	receiver_commit(it.receiver);
	assert_int_equal(it.ack.next, 6);
	assert_int_equal(it.ack.base, 4);
	assert_int_equal(it.ack.held, 1);
	assert_int_equal(next_of(7), 6);
	/* There is one sync for both commits, whatever the number of datagrams. */
	assert_int_equal(it.store.syncs, 2);
}

/* Lines that are not this run's, not in order, not whole, not records, not harmless. */
TEST_F(start, teardown, test_bad_lines)
{
	char good[RECORD_LINE_MAX + 1], text[DATAGRAM_LINES_MAX];
	size_t bytes = wire_make_line(good, 7, 0, "gap", 20);
	struct datagram d = { .sid = 7, .lines = 1, .text = text };
	uint8_t out[DATAGRAM_MAX];

	start_receiver(NULL);
#define BAD(change)                                                                               \
	do {                                                                                      \
		memcpy(text, good, bytes);                                                        \
		d.bytes = bytes;                                                                  \
		d.lines = 1;                                                                      \
		change;                                                                           \
		assert_int_equal(                                                                 \
			receiver_take(it.receiver, out, datagram_write(out, &d, NULL), &nowhere), \
			RECEIVER_BAD_LINES);                                                      \
	} while (0)
	BAD(d.bytes--);
	BAD(d.lines = 2);
	BAD(text[30] ^= 1);
	BAD(text[bytes - 1] = ' ');
	BAD(text[bytes - 5] ^= 1);
	BAD(memset(text, '\n', bytes));
	BAD(wire_make_line(text, 8, 0, "gap", 20));
	BAD(wire_make_line(text, 7, 1, "gap", 20));
	BAD(wire_make_line(text, 7, 0, "\x1b[2J", 16));
	BAD(memcpy(text + bytes, "x", 1); d.bytes++);
	BAD(memcpy(text + bytes, "\n", 1); d.bytes++; d.lines++);
#undef BAD
	assert_int_equal(it.replies, 0);
	assert_int_equal(it.store.files, 0);
	assert_int_equal(it.receiver->runs.count, 0);
}

/* Learn the token of a run. */
static uint64_t token_for(uint64_t sid)
{
	assert_int_equal(take(sid, 0, 1, 0, 0), RECEIVER_CHALLENGED);
	assert_int_equal(it.ack.state, DATAGRAM_CHALLENGE);
	assert_int_equal(it.ack.sid, sid);
	assert_true(it.ack.token != 0);
	return it.ack.token;
}

TEST_F(start, teardown, test_token)
{
	uint64_t token;

	start_receiver(key);
	token = token_for(7);
	assert_int_equal(it.store.files, 0);
	assert_int_equal(it.receiver->runs.count, 0);
	assert_int_equal(take(7, 0, 1, 0, token + 2), RECEIVER_REPLAYED);
	assert_int_equal(take(8, 0, 1, 0, token), RECEIVER_REPLAYED);
	take_durably(7, 0, 1, 0, token);
	assert_int_equal(it.ack.token, token);
	assert_int_equal(take(7, 1, 1, 1, token + 2), RECEIVER_REPLAYED);
	assert_int_equal(take(7, 1, 1, 1, 0), RECEIVER_CHALLENGED);
	/* A datagram that was recorded and is sent again is a duplicate, and is stored once. */
	assert_int_equal(take(7, 0, 1, 0, token), RECEIVER_DUPLICATE);
	assert_durable(7, 1);
	assert_int_equal(it.receiver->counts.lines, 1);
}

/* The node's answers go to the node, whoever repeats what it has sent; and follow it when it moves.
 */
TEST_F(start, teardown, test_replay_from_elsewhere)
{
	uint64_t token;

	start_receiver(key);
	token = token_for(7);
	take_durably(7, 0, 2, 0, token);
	/*
	 * A repeated datagram is answered where it comes from, whether its lines are stored or only
	 * held.
	 */
	assert_int_equal(take(7, 3, 1, 2, token), RECEIVER_HELD);
	it.replies = 0;
	assert_int_equal(take_at(&elsewhere, 7, 0, 2, token), RECEIVER_DUPLICATE);
	assert_int_equal(take_at(&elsewhere, 7, 3, 1, token), RECEIVER_DUPLICATE);
	assert_int_equal(it.replies, 2);
	assert_int_equal(it.to.from.v4.sin_port, 1);
	assert_int_equal(it.ack.next, 2);
	receiver_commit(it.receiver);
	assert_int_equal(it.replies, 3);
	assert_int_equal(it.to.from.sa.sa_family, 0);
	assert_int_equal(take_at(&elsewhere, 7, 2, 1, token), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	assert_int_equal(it.to.from.v4.sin_port, 1);
	assert_int_equal(it.ack.next, 4);
}

/* The key of the machine of that UUID, made from `fleet`. */
static void make_own(const uint8_t *fleet, const char *text, uint8_t own[SIPHASH_KEY_BYTES])
{
	uint8_t uuid[UUID_BYTES];

	assert_true(uuid_parse(text, uuid));
	node_key(fleet, uuid, own);
}

/* Record lines of run 7, as one datagram of the machine with this UUID; all before them are lost.
 */
static enum receiver_result take_text(const struct rx_address *from, const uint8_t *k,
				      const char *uuid, struct datagram d)
{
	static uint64_t token; /* the last one: a hint has none */
	uint8_t out[DATAGRAM_MAX], bytes[UUID_BYTES];

	assert_true(uuid_parse(uuid, bytes));
	d.sid = 7;
	d.number = d.seq;
	d.uuid = bytes;
	d.token = token = it.ack.token ? it.ack.token : token;
	it.setup.key = k;
	return receiver_take(it.receiver, out, datagram_write(out, &d, k), from);
}

static enum receiver_result take_own_from(const struct rx_address *from, const uint8_t *k,
					  const char *uuid, uint64_t seq, uint32_t lost)
{
	char text[DATAGRAM_LINES_MAX];
	struct datagram d = { .seq = seq, .lost = lost, .lines = 1, .text = text };

	d.bytes = seq ? run_line(text, 7, seq, "gap", "") : run_begin(text, 7, 0, uuid);
	return take_text(from, k, uuid, d);
}

/* A line of that machine: `begin` as the first, or a gap. */
static enum receiver_result take_own(const uint8_t *k, const char *uuid, uint64_t seq)
{
	return take_own_from(&nowhere, k, uuid, seq, 0);
}

/* Take any line of that machine. */
static enum receiver_result take_line(const uint8_t *k, const char *uuid, uint64_t seq,
				      const char *type, const char *rest)
{
	char text[DATAGRAM_LINES_MAX];
	struct datagram d = { .seq = seq, .lines = 1, .text = text };

	d.bytes = run_line(text, 7, seq, type, rest);
	return take_text(&nowhere, k, uuid, d);
}

static uint8_t mine[SIPHASH_KEY_BYTES], others[SIPHASH_KEY_BYTES]; /* keys of MINE, OTHER */

/* With own keys made of `key`; each node comes with a token of another collector. */
static void start_own(void)
{
	make_own(key, MINE, mine);
	make_own(key, OTHER, others);
	start_receiver(key);
	it.ack.token = 5;
}

/* Begin run 7. */
static void begin_with(const uint8_t *k, const char *uuid)
{
	assert_int_equal(take_own(k, uuid, 0), RECEIVER_REPLAYED);
	assert_int_equal(take_own(k, uuid, 0), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
}

/*
 * A node moves here in the middle of its run. Recorded datagrams that it sent to the other
 * collector begin nothing, and one that it sent here, if somebody repeats it, does not draw the
 * node's later answers.
 */
TEST_F(start, teardown, test_own_key_moves)
{
	start_own();
	assert_int_equal(take_own_from(&elsewhere, mine, MINE, 4, 4), RECEIVER_REPLAYED);
	it.ack.token = 5;
	assert_int_equal(take_own_from(&elsewhere, mine, MINE, 0, 0), RECEIVER_REPLAYED);
	assert_int_equal(it.receiver->runs.count, 0);
	/* The token is its own host's only. */
	assert_int_equal(take_own_from(&nowhere, mine, MINE, 4, 4), RECEIVER_REPLAYED);
	assert_int_equal(take_own_from(&nowhere, mine, MINE, 4, 4), RECEIVER_TAKEN);
	assert_durable(7, 5);
	assert_int_equal(take_own_from(&elsewhere, mine, MINE, 4, 4), RECEIVER_DUPLICATE);
	assert_int_equal(it.to.from.v4.sin_port, 1);
	assert_int_equal(take_own(mine, MINE, 5), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	assert_int_equal(it.to.from.sa.sa_family, 0);
	assert_int_equal(it.ack.next, 6);
}

/* Signers of a datagram, by a letter, and the machine that each names. */
static const struct signer {
	char name;
	unsigned fleet;         /* fleet key that it is, or is derived from: index of `fleets` */
	const char *own, *says; /* NULL: the fleet's key; whose own key it is */
} signers[] = {
	{ 'F', 0, NULL, OTHER },  { 'f', 1, NULL, OTHER },  { 'x', 2, NULL, OTHER },
	{ 'M', 0, MINE, MINE },   { 'm', 1, MINE, MINE },   { 'y', 2, MINE, MINE },
	{ 'O', 0, OTHER, OTHER }, { 'o', 1, OTHER, OTHER }, { 'l', 0, OTHER, MINE },
};

static uint8_t fleets[3][SIPHASH_KEY_BYTES];

/* The next line of run 7, as a datagram that is sent again once its token is known. */
static enum receiver_result sign(const struct signer *by, uint64_t seq)
{
	static uint8_t own[SIPHASH_KEY_BYTES]; /* the answer is read with it */
	enum receiver_result result = RECEIVER_REPLAYED;

	if (by->own)
		make_own(fleets[by->fleet], by->own, own);
	for (unsigned tries = 0; tries < 2 && result == RECEIVER_REPLAYED; tries++)
		result = take_own(by->own ? own : fleets[by->fleet], by->says, seq);
	return result;
}

static const struct signer *signer(char name)
{
	size_t n = 0;

	while (signers[n].name != name)
		n++;
	return &signers[n];
}

/*
 * Keys that begin a run, and those that continue it: with one key of the fleet, with the old one as
 * well, until all nodes have the new one, and where the bytes of the key change meanwhile.
 */
static const struct {
	char begins;
	const char *with_one, *with_old, *with_new; /* NULL: it cannot begin one */
} keys_of_runs[] = {
	{ 'F', "F", "Ff", "f" },   { 'M', "M", "Mm", "m" },   { 'O', "O", "Oo", "o" },
	{ 'f', NULL, "Ff", NULL }, { 'm', NULL, "Mm", NULL }, { 'o', NULL, "Oo", NULL },
	{ 'x', NULL, NULL, NULL }, { 'y', NULL, NULL, NULL }, { 'l', NULL, NULL, NULL },
};

/* `then`: those that may continue the run; NULL: it may not begin. */
static void check_keys(const struct signer *begins, const char *then, bool is_new, bool restarts)
{
	for (size_t i = 0; i < sizeof(signers) / sizeof(signers[0]); i++) {
		const struct signer *by = &signers[i];
		uint8_t now[SIPHASH_KEY_BYTES];

		memcpy(now, fleets[0], sizeof(now));
		start_anew(now);
		it.ack.token = 5; /* not this one's */
		assert_int_equal(sign(begins, 0), then ? RECEIVER_TAKEN : RECEIVER_FORGED);
		assert_durable(7, then ? 1 : 0);
		if (!then)
			return;
		if (is_new)
			memcpy(now, fleets[1], sizeof(now));
		if (restarts) {
			restart(now);
		}
		assert_int_equal(sign(by, 1),
				 strchr(then, by->name) ? RECEIVER_TAKEN : RECEIVER_FORGED);
		assert_true(strchr(then, by->name) || it.ack.state == DATAGRAM_WRONG_KEY);
		assert_durable(7, strchr(then, by->name) ? 2 : 1);
		/* The answer is signed as the datagram was. */
		if (strchr(then, by->name))
			assert_true(it.ack_result == DATAGRAM_OK && it.ack.next == 2);
	}
}

TEST_F(start, teardown, test_keys_of_a_run)
{
	for (unsigned n = 0; n < 3; n++) {
		memcpy(fleets[n], key, SIPHASH_KEY_BYTES);
		fleets[n][0] ^= (uint8_t)n;
	}
	for (size_t i = 0; i < sizeof(keys_of_runs) / sizeof(keys_of_runs[0]); i++) {
		const struct signer *begins = signer(keys_of_runs[i].begins);

		for (unsigned restarts = 0; restarts < 2; restarts++) {
			it.setup.old_key = NULL;
			check_keys(begins, keys_of_runs[i].with_one, false, restarts);
			check_keys(begins, keys_of_runs[i].with_new, true, restarts);
			it.setup.old_key = fleets[1];
			check_keys(begins, keys_of_runs[i].with_old, false, restarts);
		}
	}
}

/*
 * One node's key has become known: it is not accepted any more, but those of the fleet and of other
 * nodes are.
 */
TEST_F(start, teardown, test_revoked)
{
	uint8_t uuid[1][UUID_BYTES];
	struct receiver_revoked revoked = { .at = uuid };

	assert_true(uuid_parse(MINE, uuid[0]));
	it.setup.revoked = &revoked;
	start_own();
	begin_with(mine, MINE);
	revoked.count = 1;
	assert_int_equal(take_own(mine, MINE, 1), RECEIVER_FORGED);
	assert_int_equal(it.ack.state, DATAGRAM_WRONG_KEY);
	/* The list is not searched for forged datagrams. */
	revoked.at = NULL;
	assert_int_equal(take_own(others, MINE, 1), RECEIVER_FORGED);
	revoked.at = uuid;
	start_anew(key);
	assert_int_equal(take_own(mine, MINE, 0), RECEIVER_FORGED);
	it.ack.token = 5;
	begin_with(others, OTHER);
	start_anew(key);
	it.ack.token = 5;
	begin_with(key, MINE);
}

#define NAMED(uuid) ",\"machine\":{\"uuid\":" uuid "}"
#define PART(n)     ",\"part\":" #n
#define MORE        ",\"more\":true"

/* Signers that may not continue a run begun by another, under MINE's own key. */
static void refuse_others(void)
{
	static const char *const wrong[] = {
		NAMED("\"" OTHER "\"") RUN_BEGIN, PART(0) NAMED("\"" OTHER "\"") MORE,
		NAMED("null") RUN_BEGIN,          NAMED("\"\"") RUN_BEGIN,
		NAMED("\"" MINE "0\"") RUN_BEGIN, RUN_BEGIN,
		PART(0) RUN_BEGIN MORE,
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		it.ack.state = DATAGRAM_TAKEN;
		assert_int_equal(take_line(mine, MINE, 1, "begin", wrong[i]), RECEIVER_FORGED);
		assert_int_equal(it.ack.state, DATAGRAM_WRONG_KEY);
	}
	assert_durable(7, 1);
}

static const char *stored_uuid(void)
{
	static struct store_run kept;

	assert_int_equal(store_find((struct store *)&it.store, 7, &kept), 0);
	return kept.summary.uuid;
}

/* A machine's first line is a log: the run is its own before its `begin`, and after a restart. */
TEST_F(start, teardown, test_own_key_log_first)
{
	start_own();
	assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_REPLAYED);
	assert_int_equal(take_line(mine, OTHER, 0, "log", ""), RECEIVER_FORGED);
	assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	for (unsigned restarts = 0; restarts < 2; restarts++) {
		refuse_others();
		assert_int_equal(take_own(key, MINE, 1), RECEIVER_FORGED);
		assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_DUPLICATE);
		assert_int_equal(take_own(others, OTHER, 1), RECEIVER_FORGED);
		assert_int_equal(take_own(mine, OTHER, 1), RECEIVER_FORGED);
		restart(key);
		assert_int_equal(take_own(mine, MINE, 1), RECEIVER_REPLAYED);
	}
	assert_int_equal(take_line(mine, MINE, 1, "begin", NAMED("\"" MINE "\"") RUN_BEGIN),
			 RECEIVER_TAKEN);
	assert_durable(7, 2);
	assert_string_equal(stored_uuid(), MINE);
}

/* The right name in capitals and in the first part; no later part may have another. */
TEST_F(start, teardown, test_own_key_begin_in_parts)
{
	char named[] = PART(0) NAMED("\"" MINE "\"") MORE;

	start_own();
	assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_REPLAYED);
	assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_TAKEN);
	for (char *c = strstr(named, MINE); *c != '"'; c++)
		*c = (char)toupper((unsigned char)*c);
	assert_int_equal(take_line(mine, MINE, 1, "begin", named), RECEIVER_TAKEN);
	assert_int_equal(
		take_line(mine, MINE, 2, "begin", PART(1) NAMED("\"" OTHER "\"") RUN_BEGIN),
		RECEIVER_FORGED);
	assert_int_equal(take_line(mine, MINE, 2, "begin", PART(1) RUN_BEGIN), RECEIVER_TAKEN);
	assert_durable(7, 3);
	assert_int_equal(strcasecmp(stored_uuid(), MINE), 0);
}

/* Bytes stored under a node's key count as the node's, before any `begin`, too. */
TEST_F(start, teardown, test_own_key_bytes)
{
	it.setup.limits.bytes_node = 200;
	start_own();
	assert_int_equal(take_line(mine, MINE, 0, "log", ""), RECEIVER_REPLAYED);
	for (uint64_t seq = 0; seq < 3; seq++) {
		assert_int_equal(take_line(mine, MINE, seq, "log", ""), RECEIVER_TAKEN);
		receiver_commit(it.receiver);
	}
	assert_int_equal(next_of(7), 2);
}

/* Datagrams that nobody with a key has signed, with the ids of runs that are stored: the store
 * is not asked, also where they name the machine whose run it is.
 */
TEST_F(start, teardown, test_forged_ids_of_stored_runs)
{
	static const uint8_t wrong[SIPHASH_KEY_BYTES] = "somebody else's";

	start_own();
	for (uint64_t sid = 20; sid < 30; sid++)
		assert_int_equal(take(sid, 0, 1, 0, token_for(sid)), RECEIVER_TAKEN);
	begin_with(mine, MINE);
	receiver_free(it.receiver);
	it.store.finds = 0;
	start_receiver(key);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(take_own(wrong, MINE, 1), RECEIVER_FORGED);
		it.setup.key = wrong;
		for (uint64_t sid = 20; sid < 30; sid++)
			assert_int_equal(take(sid, 1, 1, 1, 0), RECEIVER_FORGED);
	}
	assert_int_equal(take_own(mine, MINE, 1), RECEIVER_REPLAYED);
	assert_int_equal(it.store.finds, 0);
	assert_int_equal(take_own(mine, MINE, 1), RECEIVER_TAKEN);
	assert_int_equal(it.store.finds, 1);
}

/*
 * A removed run makes room for others, and is forgotten; if lines wait to be written, once that has
 * failed.
 */
TEST_F(start, teardown, test_removed)
{
	const struct receiver_stored s = stored(&nowhere, 0);

	it.setup.limits.runs_max = it.setup.limits.runs_host = 1;
	start_receiver(NULL);
	take_durably(7, 0, 1, 0, 0);
	assert_int_equal(take(8, 0, 1, 0, 0), RECEIVER_NO_RUNS);
	/* The run's held lines are dropped with it. */
	assert_int_equal(take(7, 2, 1, 2, 0), RECEIVER_HELD);
	receiver_commit(it.receiver);
	memory_remove(&it.store, 7);
	receiver_remove_stored(it.receiver, 7, &s);
	assert_int_equal(it.receiver->runs.count, 0);
	assert_int_equal(it.receiver->runs_kept, 0);
	take_durably(8, 0, 1, 0, 0);
	assert_int_equal(take(8, 1, 1, 1, 0), RECEIVER_TAKEN);
	memory_remove(&it.store, 8);
	receiver_remove_stored(it.receiver, 8, &s);
	assert_int_equal(it.receiver->runs.count, 1);
	receiver_commit(it.receiver);
	assert_int_equal(it.receiver->runs.count, 0);
	assert_null(memory_file(&it.store, 8));
	/* One more run is removed than was stored, as from a database that somebody has changed. */
	remove_stored(&nowhere, 0);
	assert_int_equal(it.receiver->runs_kept, 0);
}

/* Recorded datagrams are refused after a restart, whether the file is there or not. */
TEST_F(start, teardown, test_replay_after_restart)
{
	uint64_t token;

	start_receiver(key);
	token = token_for(7);
	take_durably(7, 0, 1, 0, token);
	restart(key);
	assert_int_equal(take(7, 0, 1, 0, token), RECEIVER_REPLAYED);
	assert_int_equal(take(7, 1, 1, 1, token), RECEIVER_REPLAYED);
	memory_remove(&it.store, 7);
	assert_int_equal(take(7, 0, 1, 0, token), RECEIVER_REPLAYED);
	receiver_commit(it.receiver);
	assert_null(memory_file(&it.store, 7));
	/* The node itself, which answers the challenge, continues. */
	assert_int_equal(take(7, 0, 1, 0, it.ack.token), RECEIVER_TAKEN);
}

/* A token is given out for an hour and good for one more; a run goes on as long as it likes. */
TEST_F(start, teardown, test_token_grows_old)
{
	const uint64_t hour = UINT64_C(3600000000000);
	uint64_t token, running;

	start_receiver(key);
	running = token_for(1);
	take_durably(1, 0, 1, 0, running);
	token = token_for(7);
	it.store.now_ns += hour;
	assert_int_equal(take(8, 0, 1, 0, token), RECEIVER_REPLAYED);
	assert_int_equal(take(7, 1, 1, 1, token), RECEIVER_UNKNOWN_RUN); /* the token is good */
	it.store.now_ns += hour;
	assert_int_equal(take(7, 0, 1, 0, token), RECEIVER_REPLAYED);
	assert_int_equal(take(1, 1, 1, 1, running), RECEIVER_TAKEN);
	assert_durable(1, 2);
}

/* Without the key: nothing is written, nothing is held, and it is counted. */
TEST_F(start, teardown, test_forged)
{
	static const uint8_t wrong[SIPHASH_KEY_BYTES + 1] = "not the same key";
	uint8_t out[DATAGRAM_MAX];
	uint64_t token;
	size_t bytes;

	start_receiver(key);
	token = token_for(7);
	it.setup.key = wrong;
	bytes = make(out, 7, 0, 2, 0, token);
	it.setup.key = key;
	assert_int_equal(receiver_take(it.receiver, out, bytes, &nowhere), RECEIVER_FORGED);
	it.setup.key = NULL;
	bytes = make(out, 7, 0, 2, 0, token);
	it.setup.key = key;
	assert_int_equal(receiver_take(it.receiver, out, bytes, &nowhere), RECEIVER_UNSIGNED);
	/* Flip every bit of a true datagram. */
	bytes = make(out, 7, 0, 2, 0, token);
	for (size_t bit = 0; bit < 8 * bytes; bit++) {
		enum receiver_result result;

		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
		result = receiver_take(it.receiver, out, bytes, &nowhere);
		assert_true(result == RECEIVER_DAMAGED || result == RECEIVER_MALFORMED);
		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	receiver_commit(it.receiver);
	assert_int_equal(it.store.files, 0);
	assert_int_equal(it.receiver->counts.result[RECEIVER_FORGED], 1);
	assert_int_equal(it.receiver->counts.result[RECEIVER_UNSIGNED], 1);
	assert_int_equal(receiver_take(it.receiver, out, bytes, &nowhere), RECEIVER_TAKEN);
}

/* No answer is longer than its datagram, so a collector cannot be used to amplify an attack. */
TEST_F(start, teardown, test_no_amplification)
{
	char line[DATAGRAM_LINES_MIN];
	const struct datagram shortest = {
		.sid = 1, .lines = 1, .text = line, .bytes = sizeof(line)
	};
	uint8_t out[DATAGRAM_MAX];
	size_t bytes;

	memset(line, 'x', sizeof(line));
	start_receiver(key);
	bytes = datagram_write(out, &shortest, NULL);
	receiver_take(it.receiver, out, bytes, &nowhere);
	assert_int_equal(it.replies, 1);
	assert_true(it.reply_bytes <= bytes);
	bytes = datagram_write(out, &shortest, key);
	receiver_take(it.receiver, out, bytes, &nowhere);
	assert_int_equal(it.replies, 2);
	assert_true(it.reply_bytes <= bytes);
}

/* One host does not use up what all have, neither at once nor after a restart. */
TEST_F(start, teardown, test_too_many_runs_of_a_host)
{
	static const struct rx_address v6 = {
		.from.v6 = { .sin6_family = AF_INET6, .sin6_addr.s6_addr = { 0x20, [15] = 1 } }
	};
	struct rx_address near = v6;

	it.setup.limits.runs_host = 4;
	it.setup.runs_known = 64;
	near.from.v6.sin6_addr.s6_addr[14] = 9; /* the same network */
	start_receiver(NULL);
	for (uint64_t sid = 0; sid < 6; sid++)
		assert_int_equal(take_at(sid % 2 ? &near : &v6, sid, 0, 1, 0),
				 sid < 4 ? RECEIVER_TAKEN : RECEIVER_NO_RUNS);
	assert_int_equal(it.ack.state, DATAGRAM_NO_RUNS);
	assert_int_equal(take_at(&elsewhere, 7, 0, 1, 0), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	/* Runs of that host that have begun continue. */
	assert_int_equal(take_at(&v6, 0, 1, 1, 0), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	restart(NULL);
	for (unsigned i = 0; i < 4; i++)
		add_stored(&v6, 0);
	assert_int_equal(take_at(&near, 20, 0, 1, 0), RECEIVER_NO_RUNS);
	/* Runs that could not be created do not count. */
	it.store.space = 1;
	for (uint64_t sid = 30; sid < 34; sid++)
		assert_int_equal(take_at(&elsewhere, sid, 0, 1, 0), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	it.store.space = 0;
	assert_int_equal(take_at(&elsewhere, 40, 0, 1, 0), RECEIVER_TAKEN);
}

static struct rx_address in_v4(uint32_t host)
{
	return (struct rx_address){ .from.v4 = { .sin_family = AF_INET,
						 .sin_addr.s_addr = htonl(host) } };
}

/* Network `n` of 2001:db8:1::/48. */
static struct rx_address in_v6(uint32_t n)
{
	struct rx_address a = { .from.v6 = { .sin6_family = AF_INET6 } };
	static const uint8_t prefix[] = { 0x20, 0x01, 0x0d, 0xb8, 0, 1 };

	memcpy(a.from.v6.sin6_addr.s6_addr, prefix, sizeof(prefix));
	a.from.v6.sin6_addr.s6_addr[6] = (uint8_t)(n >> 8);
	a.from.v6.sin6_addr.s6_addr[7] = (uint8_t)n;
	return a;
}

/*
 * A machine is challenged at its own address, and then names others as the source: a run that it
 * begins so would count for them.
 */
TEST_F(start, teardown, test_token_of_another_host)
{
	struct rx_address near = in_v6(1), other = in_v6(2), true_one = in_v6(1);
	uint64_t token;

	near.from.v6.sin6_addr.s6_addr[15] = 9; /* the same network */
	start_receiver(key);
	assert_int_equal(take_at(&true_one, 7, 0, 1, 0), RECEIVER_CHALLENGED);
	token = it.ack.token;
	assert_int_equal(take_at(&other, 7, 0, 1, token), RECEIVER_REPLAYED);
	assert_int_equal(take_at(&elsewhere, 7, 0, 1, token), RECEIVER_REPLAYED);
	assert_int_equal(it.receiver->runs.count, 0);
	assert_int_equal(take_at(&near, 7, 0, 1, token), RECEIVER_TAKEN);
	receiver_commit(it.receiver);
	/* A run that is known goes on where its node moves. */
	assert_int_equal(take_at(&other, 7, 1, 1, token), RECEIVER_TAKEN);
	assert_durable(7, 2);
}

static enum receiver_result begin_own(const uint8_t *own, const char *text, uint64_t sid,
				      const struct rx_address *from)
{
	char line[RECORD_LINE_MAX];
	uint8_t out[DATAGRAM_MAX], uuid[UUID_BYTES];
	struct datagram d = { .sid = sid, .lines = 1, .text = line, .uuid = uuid };
	enum receiver_result result = RECEIVER_CHALLENGED;

	assert_true(uuid_parse(text, uuid));
	d.bytes = run_begin(line, sid, 0, text);
	it.setup.key = own;
	for (unsigned tries = 0; tries < 2 && result == RECEIVER_CHALLENGED; tries++) {
		result = receiver_take(it.receiver, out, datagram_write(out, &d, own), from);
		d.token = it.ack.token;
	}
	return result;
}

/* One key does not begin all runs, from however many networks, neither at once nor after a restart.
 */
TEST_F(start, teardown, test_too_many_runs_of_a_node)
{
	struct receiver_stored s = stored(&nowhere, 0);

	it.setup.limits.runs_node = 4;
	start_own();
	for (unsigned n = 1; n <= 6; n++) {
		const struct rx_address from = in_v6(n);

		assert_int_equal(begin_own(mine, MINE, n, &from),
				 n <= 4 ? RECEIVER_TAKEN : RECEIVER_NO_RUNS);
		if (n % 2)
			receiver_commit(it.receiver);
	}
	receiver_commit(it.receiver);
	assert_int_equal(begin_own(mine, MINE, 7, &nowhere), RECEIVER_NO_RUNS);
	assert_int_equal(begin_own(others, OTHER, 8, &nowhere), RECEIVER_TAKEN);
	it.setup.key = key;
	take_durably(9, 0, 1, 0, token_for(9));
	restart(key);
	s.is_own = true;
	s.uuid = MINE;
	for (unsigned n = 0; n < 4; n++)
		receiver_add_stored(it.receiver, &s);
	assert_int_equal(begin_own(mine, MINE, 10, &nowhere), RECEIVER_NO_RUNS);
	receiver_remove_stored(it.receiver, UINT64_MAX, &s);
	assert_int_equal(begin_own(mine, MINE, 10, &nowhere), RECEIVER_TAKEN);
	assert_int_equal(begin_own(mine, MINE, 11, &nowhere), RECEIVER_NO_RUNS);
}

/*
 * A full disk refuses the begins of runs, each from another host and, with its own key, of another
 * node.
 */
TEST_F(start, teardown, test_refused_hosts_leave_nothing)
{
	size_t before = 0;

	it.setup.runs_known = 64;
	it.store.space = 1;
	start_receiver(key);
	for (uint32_t n = 0; n < 20000; n++) {
		const struct rx_address from = in_v4(n << 8 | 1);
		uint8_t own[SIPHASH_KEY_BYTES];
		char uuid[UUID_TEXT];

		snprintf(uuid, sizeof(uuid), "%08x-2222-3333-4444-555555555555", n + 1);
		make_own(key, uuid, own);
		assert_int_equal(begin_own(own, uuid, n + 1, &from), RECEIVER_TAKEN);
		if (n % 32 == 31)
			receiver_commit(it.receiver);
		/* Without sanitizers, blocks that malloc() keeps for later count as well. */
		if (n == 63)
			before = allocated();
	}
	assert_int_equal(it.receiver->runs.count, 0);
	assert_true(allocated() <= before + 4096);
}

/* One host's runs do not fill the disk of all, neither at once nor after a restart. */
TEST_F(start, teardown, test_bytes_of_a_host)
{
	char line[RECORD_LINE_MAX + 1];
	size_t bytes = wire_make_line(line, 7, 0, "gap", 20);

	it.setup.limits.bytes_host = 3 * bytes;
	start_receiver(NULL);
	take(7, 0, 2, 0, 0);
	assert_durable(7, 2);
	/* A new run leaves nothing, and what fits is stored. */
	take_durably(8, 0, 2, 0, 0);
	assert_int_equal(it.ack.state, DATAGRAM_NO_SPACE);
	assert_int_equal(it.ack.next, 0);
	assert_null(memory_file(&it.store, 8));
	take_durably(7, 2, 1, 1, 0);
	assert_int_equal(it.ack.state, DATAGRAM_TAKEN);
	take_durably(7, 3, 1, 2, 0);
	assert_int_equal(it.ack.state, DATAGRAM_NO_SPACE);
	assert_int_equal(it.ack.next, 3);
	assert_int_equal(it.receiver->counts.lines_unwritten, 3);
	/* Duplicates are answered as before. */
	assert_int_equal(take(7, 2, 1, 1, 0), RECEIVER_DUPLICATE);
	receiver_commit(it.receiver);
	assert_int_equal(it.ack.next, 3);
	take_at(&elsewhere, 9, 0, 3, 0);
	assert_durable(9, 3);
	/* Stored lines are acknowledged beyond the limit, too. */
	add_stored(&elsewhere, 1);
	take_at(&elsewhere, 9, 0, 3, 0);
	receiver_commit(it.receiver);
	assert_int_equal(it.ack.state, DATAGRAM_TAKEN);
	assert_int_equal(it.ack.next, 3);
	/* A run was removed. */
	remove_stored(&nowhere, bytes);
	take_durably(7, 3, 1, 2, 0);
	assert_int_equal(it.ack.state, DATAGRAM_TAKEN);
	assert_int_equal(next_of(7), 4);
	restart(NULL);
	add_stored(&nowhere, 3 * bytes);
	take_durably(10, 0, 1, 0, 0);
	assert_int_equal(it.ack.state, DATAGRAM_NO_SPACE);
	/* More than there were. */
	remove_stored(&nowhere, 9 * bytes);
	take(10, 0, 3, 0, 0);
	assert_durable(10, 3);
}

/* The limit also applies within one batch, which has a single sync. */
TEST_F(start, teardown, test_too_many_runs_at_once)
{
	it.setup.runs_known = 64;
	start_receiver(NULL);
	for (uint64_t sid = 0; sid < 40; sid++)
		assert_int_equal(take(sid, 0, 1, 0, 0),
				 sid < 32 ? RECEIVER_TAKEN : RECEIVER_NO_RUNS);
	/* Runs whose file cannot be made free their places. */
	it.store.space = 1;
	receiver_commit(it.receiver);
	assert_int_equal(it.receiver->runs.count, 0);
	it.store.space = 0;
	for (uint64_t sid = 0; sid < 40; sid++)
		assert_int_equal(take(sid, 0, 1, 0, 0),
				 sid < 32 ? RECEIVER_TAKEN : RECEIVER_NO_RUNS);
	receiver_commit(it.receiver);
	assert_int_equal(it.receiver->runs_kept, 32);
	assert_int_equal(it.store.syncs, 1);
	/* With nothing new there is nothing to do. */
	receiver_commit(it.receiver);
	assert_int_equal(it.store.syncs, 1);
}

/* Held lines are bounded, and those in order are taken all the same. */
TEST_F(start, teardown, test_too_much_waits)
{
	unsigned held = 0, refused = 0;

	it.setup.hold_max = 4096;
	start_receiver(NULL);
	take(7, 0, 1, 0, 0);
	for (uint64_t n = 2; n < 60; n++) {
		enum receiver_result result = take(7, n, 1, n, 0);

		held += result == RECEIVER_HELD;
		refused += result == RECEIVER_NO_MEMORY;
	}
	assert_true(held > 5 && refused > 5);
	assert_int_equal(held + refused, 58);
	assert_int_equal(take(7, 1, 1, 1, 0), RECEIVER_TAKEN);
	assert_durable(7, 2 + held);
	/* Numbers that are far apart do not fit into the window of bits. */
	assert_int_equal(take(7, 1000, 1, 1000, 0), RECEIVER_HELD);
	assert_int_equal(take(7, 2000, 1, 1064, 0), RECEIVER_NO_MEMORY);
	assert_int_equal(take(7, 2000, 1, 1000, 0), RECEIVER_NO_MEMORY);
	assert_int_equal(take(7, 2000, 1, 1063, 0), RECEIVER_HELD);
	receiver_commit(it.receiver);
	assert_true(it.ack.held == (UINT64_C(1) << 63 | 1));
}

/* Runs that send lines which nothing precedes leave room for those that lose a datagram. */
TEST_F(start, teardown, test_others_wait)
{
	unsigned held = 0;

	it.setup.hold_max = 16384; /* enough for one run at a time */
	start_receiver(NULL);
	for (uint64_t sid = 1; sid <= 8; sid++) {
		take(sid, 0, 1, 0, 0);
		for (uint64_t n = 2; n < 60; n++)
			take(sid, n, 1, n, 0);
	}
	take(9, 0, 1, 0, 0);
	assert_int_equal(take(9, 2, 1, 2, 0), RECEIVER_HELD);
	/* A run's share is not fixed: one run may have it all when the others are gone. */
	for (uint64_t n = 3; n < 60; n++)
		held += take(9, n, 1, n, 0) == RECEIVER_HELD;
	assert_int_equal(held, 57);
	assert_int_equal(take(1, 1, 1, 1, 0), RECEIVER_TAKEN); /* a run that holds nothing */
	assert_durable(1, 2);
	assert_int_equal(take(9, 1, 1, 1, 0), RECEIVER_TAKEN);
	assert_durable(9, 60);
}

/* Lines that the node lost are not waited for, nor is what comes behind them. */
TEST_F(start, teardown, test_lost_at_the_node)
{
	char text[RECORD_LINE_MAX];
	struct datagram d = {
		.sid = 7, .seq = 9, .number = 2, .lost = 5, .lines = 1, .text = text
	};
	uint8_t out[DATAGRAM_MAX];
	struct store_run kept;

	start_receiver(NULL);
	take(7, 0, 2, 0, 0);
	d.bytes = wire_make_line(text, 7, 9, "gap", 20);
	assert_int_equal(receiver_take(it.receiver, out, datagram_write(out, &d, NULL), &nowhere),
			 RECEIVER_HELD);
	take_durably(7, 2, 2, 1, 0);
	assert_int_equal(it.ack.next, 10);
	store_find((struct store *)&it.store, 7, &kept);
	assert_int_equal(kept.next, 10);
	assert_int_equal(kept.summary.lines, 5);
	assert_int_equal(kept.summary.lost, 5);
}

/* Pieces that overlap, as no honest node sends them. */
TEST_F(start, teardown, test_overlapping_pieces)
{
	start_receiver(NULL);
	take(7, 0, 1, 0, 0);
	assert_int_equal(take(7, 3, 4, 2, 0), RECEIVER_HELD);
	assert_int_equal(take(7, 4, 4, 3, 0), RECEIVER_HELD);
	assert_int_equal(take(7, 5, 1, 4, 0), RECEIVER_HELD);
	assert_int_equal(take(7, 1, 3, 1, 0), RECEIVER_TAKEN);
	assert_durable(7, 8);
	assert_int_equal(it.receiver->counts.lines, 8);
}

/* A batch that does not fit the disk is refused as a whole, and a smaller one is stored. */
TEST_F(start, teardown, test_disk_fills_within_a_batch)
{
	uint8_t out[DATAGRAM_MAX];
	size_t bytes;

	start_receiver(NULL);
	bytes = make(out, 7, 0, 1, 0, 0) - DATAGRAM_HEADER - 4;
	it.store.space = 7 * bytes + bytes / 2;
	for (unsigned lines = 10; lines >= 7; lines -= 3) {
		for (uint64_t n = 0; n < lines; n++)
			assert_int_equal(take(7, n, 1, n, 0), RECEIVER_TAKEN);
		receiver_commit(it.receiver);
		assert_int_equal(it.ack.next, lines == 7 ? 7 : 0);
		assert_int_equal(it.ack.state, lines == 7 ? DATAGRAM_TAKEN : DATAGRAM_NO_SPACE);
		assert_int_equal(next_of(7), it.ack.next);
		assert_int_equal(it.receiver->counts.lines_unwritten, 10);
	}
}

/* Room used by one run of a batch is not available to another. */
TEST_F(start, teardown, test_runs_of_a_batch_fill_the_disk)
{
	uint8_t out[DATAGRAM_MAX];

	start_receiver(NULL);
	it.store.space = 3 * (make(out, 7, 0, 1, 0, 0) - DATAGRAM_HEADER - 4) / 2;
	assert_int_equal(take(7, 0, 1, 0, 0), RECEIVER_TAKEN);
	take_durably(8, 0, 1, 0, 0);
	assert_int_equal(it.receiver->counts.lines, 1);
	assert_int_equal(it.receiver->counts.lines_unwritten, 1);
}

/* A run that cannot be written keeps no other waiting. */
TEST_F(start, teardown, test_one_run_fails)
{
	start_receiver(NULL);
	it.store.bad = 7;
	for (uint64_t sid = 6; sid <= 8; sid++)
		assert_int_equal(take(sid, 0, 2, 0, 0), RECEIVER_TAKEN);
	assert_durable(6, 2);
	assert_int_equal(next_of(7), 0);
	assert_int_equal(next_of(8), 2);
	assert_int_equal(it.receiver->counts.lines, 4);
	assert_int_equal(it.receiver->counts.lines_unwritten, 2);
	it.store.bad = 0;
	assert_int_equal(take(7, 0, 2, 0, 0), RECEIVER_TAKEN);
	assert_durable(7, 2);
}

/* While the disk is busy, more is taken, which is not acknowledged before it is durable, too. */
TEST_F(start, teardown, test_taken_while_written)
{
	struct receiver_commit *c;

	start_receiver(NULL);
	take(7, 0, 2, 0, 0);
	c = receiver_begin(it.receiver);
	assert_non_null(c);
	assert_int_equal(take(7, 0, 2, 0, 0), RECEIVER_DUPLICATE);
	assert_int_equal(take(7, 2, 2, 1, 0), RECEIVER_TAKEN);
	assert_int_equal(take(8, 0, 1, 0, 0), RECEIVER_TAKEN);
	receiver_write(c);
	assert_int_equal(take(7, 4, 1, 2, 0), RECEIVER_TAKEN);
	assert_int_equal(it.replies, 0);
	receiver_end(it.receiver, c);
	assert_int_equal(it.replies, 0);
	receiver_answer(it.receiver, c);
	assert_int_equal(it.replies, 1);
	assert_int_equal(it.ack.sid, 7);
	assert_int_equal(it.ack.next, 2);
	assert_int_equal(it.receiver->counts.lines, 2);
	receiver_commit(it.receiver);
	assert_int_equal(it.replies, 3);
	assert_int_equal(next_of(7), 5);
	assert_int_equal(next_of(8), 1);
	assert_null(receiver_begin(it.receiver));
}

/* Lines that depend on refused ones are refused with them, and all come again. */
TEST_F(start, teardown, test_refused_while_written)
{
	struct receiver_commit *c;

	start_receiver(NULL);
	take_durably(7, 0, 2, 0, 0);
	take(7, 2, 2, 1, 0);
	take(8, 0, 1, 0, 0);
	it.store.fail_sync = 1;
	c = receiver_begin(it.receiver);
	receiver_write(c);
	assert_int_equal(take(7, 4, 2, 2, 0), RECEIVER_TAKEN);
	assert_int_equal(take(8, 1, 1, 1, 0), RECEIVER_TAKEN);
	receiver_end(it.receiver, c);
	receiver_answer(it.receiver, c);
	assert_int_equal(it.ack.state, DATAGRAM_NO_SPACE);
	assert_int_equal(it.receiver->counts.lines_unwritten, 6);
	/* 7 is as it was; 8 has no file, but is known until its next commit. */
	assert_durable(7, 2);
	assert_int_equal(next_of(8), 0);
	assert_int_equal(it.receiver->runs.count, 1);
	assert_int_equal(it.receiver->runs_kept, 1);
	assert_int_equal(take(7, 2, 4, 1, 0), RECEIVER_TAKEN);
	take_durably(8, 0, 2, 0, 0);
	assert_int_equal(it.ack.state, DATAGRAM_TAKEN);
	assert_int_equal(next_of(7), 6);
	assert_int_equal(next_of(8), 2);
}

/* A removed run is forgotten, though more lines have come meanwhile; others go on. */
TEST_F(start, teardown, test_removed_while_written)
{
	struct receiver_commit *c;

	start_receiver(NULL);
	take_durably(7, 0, 2, 0, 0);
	memory_remove(&it.store, 7);
	take(7, 2, 2, 1, 0);
	take(6, 0, 1, 0, 0);
	c = receiver_begin(it.receiver);
	take(9, 0, 1, 0, 0);
	take(7, 4, 2, 2, 0);
	receiver_write(c);
	receiver_end(it.receiver, c);
	receiver_answer(it.receiver, c);
	assert_int_equal(it.receiver->runs.count, 2);
	assert_durable(6, 1);
	assert_int_equal(next_of(9), 1);
	assert_int_equal(take(7, 2, 2, 1, 0), RECEIVER_UNKNOWN_RUN);
	assert_int_equal(it.ack.next, 0);
	assert_int_equal(take(7, 0, 6, 0, 0), RECEIVER_TAKEN);
	assert_durable(7, 6);
}

/* Acknowledging may wait until the next commit has begun, whose lines it does not cover. */
TEST_F(start, teardown, test_answered_while_written)
{
	struct receiver_commit *first, *second;

	start_receiver(NULL);
	take(7, 0, 2, 0, 0);
	take(8, 0, 2, 0, 0);
	first = receiver_begin(it.receiver);
	receiver_write(first);
	take(7, 2, 2, 1, 0);
	receiver_end(it.receiver, first);
	second = receiver_begin(it.receiver);
	receiver_write(second);
	receiver_answer(it.receiver, first);
	assert_int_equal(it.replies, 2);
	assert_int_equal(it.ack.next, 2);
	receiver_end(it.receiver, second);
	receiver_answer(it.receiver, second);
	assert_int_equal(it.replies, 3);
	assert_int_equal(it.ack.sid, 7);
	assert_int_equal(it.ack.next, 4);
}

/* A run that is being written is not forgotten where others need its place. */
TEST_F(start, teardown, test_not_forgotten_while_written)
{
	struct receiver_commit *c;

	start_receiver(NULL);
	for (uint64_t sid = 0; sid < 8; sid++)
		take(sid, 0, 1, 0, 0);
	c = receiver_begin(it.receiver);
	for (uint64_t sid = 8; sid < 24; sid++)
		assert_int_equal(take(sid, 0, 1, 0, 0),
				 sid < 16 ? RECEIVER_TAKEN : RECEIVER_NO_MEMORY);
	receiver_write(c);
	receiver_end(it.receiver, c);
	receiver_answer(it.receiver, c);
	take_durably(16, 0, 1, 0, 0);
	for (uint64_t sid = 0; sid < 17; sid++)
		assert_int_equal(next_of(sid), 1);
}

/* Each of so many run ids is turned away, and memory does not grow. */
TEST_F(start, teardown, test_a_million_runs)
{
	const uint64_t ids = rounds(100000, 1000000);
	size_t before, after;

	start_receiver(NULL);
	for (uint64_t sid = 0; sid < 32; sid++) {
		take_durably(sid, 0, 1, 0, 0);
	}
	before = allocated();
	assert_true(before > 0);
	for (uint64_t n = 0; n < ids; n++) {
		uint64_t sid = UINT64_C(0x9e3779b97f4a7c15) * (n + 1);

		if (n % 1000 == 0)
			assert_int_equal(take(sid, 0, 1, 0, 0), RECEIVER_NO_RUNS);
		else
			take_at(&nowhere, sid, 5, 1, 0);
		if (n % 4096 == 0)
			receiver_commit(it.receiver);
	}
	after = allocated();
	assert_true(it.receiver->runs.count <= 16);
	assert_int_equal(it.receiver->counts.result[RECEIVER_UNKNOWN_RUN], ids - ids / 1000);
	assert_int_equal(it.store.files, 32);
	assert_true(after <= before + 65536);
	/* Runs that were forgotten continue where they were. */
	assert_int_equal(take(0, 1, 1, 1, 0), RECEIVER_TAKEN);
	assert_durable(0, 2);
}

TEST_F(start, teardown, test_results_have_names)
{
	for (unsigned i = 0; i < RECEIVER_RESULTS; i++)
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(receiver_result_name((enum receiver_result)i),
						receiver_result_name((enum receiver_result)j));
}
