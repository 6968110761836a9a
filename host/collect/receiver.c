/* SPDX-License-Identifier: BSD-2-Clause */
/* Authenticates each datagram, and puts those of a run in order. */
#define _GNU_SOURCE /* tdestroy */
#include "receiver.h"

#include "udp_socket.h"

#include "host/fleet/store/store.h"
#include "host/lib/node_key.h"

#include "core/lib/arith.h"
#include "core/lib/bytes.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A token is issued for an hour, and accepted for one more. */
#define TOKEN_NS UINT64_C(3600000000000)

#define LINES_COST(p) (sizeof(struct rx_lines) + (p)->bytes)

const char *receiver_result_name(enum receiver_result result)
{
	static const char *const name[RECEIVER_RESULTS] = {
		[RECEIVER_TAKEN] = "taken",
		[RECEIVER_HELD] = "held",
		[RECEIVER_DUPLICATE] = "duplicate",
		[RECEIVER_MALFORMED] = "malformed",
		[RECEIVER_DAMAGED] = "damaged",
		[RECEIVER_BAD_LINES] = "bad_lines",
		[RECEIVER_UNSIGNED] = "unsigned",
		[RECEIVER_UNEXPECTED_SIGNATURE] = "unexpected_signature",
		[RECEIVER_FORGED] = "forged",
		[RECEIVER_CHALLENGED] = "challenged",
		[RECEIVER_REPLAYED] = "replayed",
		[RECEIVER_UNKNOWN_RUN] = "unknown_run",
		[RECEIVER_NO_MEMORY] = "no_memory",
		[RECEIVER_NO_RUNS] = "no_runs",
		[RECEIVER_NO_FILE] = "no_file",
	};

	return name[result];
}

/* A datagram as it arrived, and as it was read with a key. */
struct arrival {
	const struct rx_address *from;
	const uint8_t *bytes;
	size_t count;
	const uint8_t *key;             /* key by which its signature was verified; NULL: none */
	uint8_t own[SIPHASH_KEY_BYTES]; /* its node's, where `key` is that */
	bool is_old;                    /* the key is the old one of the fleet, or made of it */
	struct datagram d;
};

static enum datagram_result read_with(struct arrival *a, const uint8_t *key, bool is_old)
{
	a->key = key;
	a->is_old = is_old;
	return datagram_read(a->bytes, a->count, key, &a->d);
}

/* ---- Runs in memory ---- */

static struct receiver_bucket *bucket_of(struct receiver_runs *r, uint64_t sid)
{
	uint64_t mixed = (sid ^ sid >> 32) * r->odd;

	return &r->bucket[mixed >> (64 - RECEIVER_BITS)];
}

static struct receiver_run *find_run(struct receiver *r, uint64_t sid)
{
	struct receiver_run *run = LIST_FIRST(bucket_of(&r->runs, sid));

	while (run && run->sid != sid)
		run = LIST_NEXT(run, chain);
	return run;
}

static void insert_run(struct receiver_runs *r, struct receiver_run *run)
{
	LIST_INSERT_HEAD(bucket_of(r, run->sid), run, chain);
	TAILQ_INSERT_HEAD(&r->ages, run, ages);
	r->count++;
}

static void remove_run(struct receiver_runs *r, struct receiver_run *run)
{
	LIST_REMOVE(run, chain);
	TAILQ_REMOVE(&r->ages, run, ages);
	r->count--;
}

/* ---- Lines ---- */

static struct rx_lines *lines_new(const struct datagram *d)
{
	struct rx_lines *p = malloc(sizeof(*p) + d->bytes);

	if (!p)
		return NULL;
	*p = (struct rx_lines){ .seq = d->seq,
				.number = d->number,
				.lost = d->lost,
				.lines = d->lines,
				.bytes = (uint32_t)d->bytes };
	memcpy(p->text, d->text, d->bytes);
	return p;
}

void rx_lines_free(struct rx_lines *p)
{
	while (p) {
		struct rx_lines *next = p->next;

		free(p);
		p = next;
	}
}

static void count_held(struct receiver *r, struct receiver_run *run, size_t more, size_t less)
{
	size_t before = run->held_bytes;

	run->held_bytes += more - less;
	r->held_bytes += more - less;
	if (!before && run->held_bytes)
		TAILQ_INSERT_TAIL(&r->holders, run, holders);
	else if (before && !run->held_bytes)
		TAILQ_REMOVE(&r->holders, run, holders);
}

static void drop_held(struct receiver *r, struct receiver_run *run)
{
	count_held(r, run, 0, run->held_bytes);
	rx_lines_free(run->held);
	run->held = NULL;
}

struct rx_lines *receiver_take_ready(struct receiver *r, struct receiver_run *run)
{
	struct rx_lines *ready = run->ready;

	run->ready = NULL;
	run->ready_tail = &run->ready;
	r->ready -= run->ready_count;
	run->ready_count = 0;
	return ready;
}

/* A run that is not stored yet counts for its host and, with an own key, its node. */
static void count_begun(struct receiver *r, struct receiver_run *run, bool less)
{
	r->runs_new += less ? -UINT64_C(1) : 1;
	run->host->runs += less ? -UINT64_C(1) : 1;
	if (run->is_own)
		run->node->runs += less ? -UINT64_C(1) : 1;
}

static void free_run(struct receiver *r, struct receiver_run *run)
{
	receiver_account_release(&r->hosts, run->host);
	receiver_account_release(&r->nodes, run->node);
	free(run);
}

void receiver_forget(struct receiver *r, struct receiver_run *run)
{
	struct receiver_run **at = &r->dirty;

	while (run->is_dirty && *at != run)
		at = &(*at)->next_dirty;
	if (run->is_dirty)
		*at = run->next_dirty;
	drop_held(r, run);
	rx_lines_free(receiver_take_ready(r, run));
	if (run->is_new)
		count_begun(r, run, true);
	remove_run(&r->runs, run);
	free_run(r, run);
}

struct receiver *receiver_new(const struct receiver_setup *setup)
{
	struct receiver *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->setup = *setup;
	r->runs.odd = bytes_le64(setup->secret) | 1;
	TAILQ_INIT(&r->runs.ages);
	TAILQ_INIT(&r->holders);
	return r;
}

void receiver_free(struct receiver *r)
{
	struct receiver_run *run;

	if (!r)
		return;
	r->dirty = NULL;
	for (run = TAILQ_FIRST(&r->runs.ages); run; run = TAILQ_NEXT(run, ages))
		run->is_dirty = false;
	while ((run = TAILQ_FIRST(&r->runs.ages)))
		receiver_forget(r, run);
	tdestroy(r->hosts, free);
	tdestroy(r->nodes, free);
	free(r);
}

/* ---- Answers ---- */

static void reply(struct receiver *r, const struct rx_address *to, const struct datagram_ack *a,
		  const uint8_t *key)
{
	uint8_t bytes[DATAGRAM_ACK_MAX];

	r->setup.reply(r->setup.ctx, to, bytes, datagram_write_ack(bytes, a, key));
}

static const uint8_t *fleets_key(const struct receiver *r, bool is_old)
{
	return is_old ? r->setup.old_key : r->setup.key;
}

/* The key that a run belongs to; `own` is room for the node's. */
static const uint8_t *key_of(const struct receiver *r, const struct receiver_run *run,
			     uint8_t own[SIPHASH_KEY_BYTES])
{
	if (!run->is_own)
		return fleets_key(r, run->is_old);
	node_key(fleets_key(r, run->is_old), run->uuid, own);
	return own;
}

/*
 * Answer a sender with a different key, or without one. The answer is not signed, so it is only a
 * hint.
 */
static enum receiver_result hint(struct receiver *r, const struct arrival *a,
				 enum datagram_state state, enum receiver_result result)
{
	const struct datagram_ack ack = { .state = state, .sid = a->d.sid };

	reply(r, a->from, &ack, NULL);
	return result;
}

/*
 * The token of a run for this host, issued in the hour of that number. It reaches nobody else: a
 * run that is begun with it counts for the host that its datagrams come from.
 */
static uint64_t token_of(const struct receiver *r, uint64_t sid, const struct rx_address *host,
			 uint64_t hour)
{
	const struct receiver_account_id id = receiver_account_host(host);
	uint8_t text[16 + sizeof(id)], tag[SIPHASH_TAG_BYTES];

	bytes_put_le64(text, sid);
	bytes_put_le64(text + 8, hour);
	memcpy(text + 16, id.byte, sizeof(id));
	siphash(r->setup.secret, text, sizeof(text), tag);
	return bytes_le64(tag) | 1; /* never 0 */
}

static uint64_t hour_now(const struct receiver *r)
{
	/* From 1, so that there always is a previous one. */
	return r->setup.clock_ns(r->setup.ctx) / TOKEN_NS + 1;
}

static uint64_t token_now(const struct receiver *r, const struct receiver_run *run, uint64_t sid,
			  const struct rx_address *to)
{
	if (!r->setup.key)
		return 0;
	return run && run->token ? run->token : token_of(r, sid, to, hour_now(r));
}

static bool token_is_good(const struct receiver *r, const struct receiver_run *run,
			  const struct arrival *a)
{
	const struct datagram *d = &a->d;
	uint64_t hour = hour_now(r);

	if (run && run->token)
		return d->token == run->token;
	return d->token == token_of(r, d->sid, a->from, hour) ||
	       d->token == token_of(r, d->sid, a->from, hour - 1);
}

static enum receiver_result receiver_refuse(struct receiver *r, const struct receiver_run *run,
					    const struct arrival *a, enum datagram_state state,
					    enum receiver_result result)
{
	const struct datagram_ack ack = {
		.state = state,
		.sid = a->d.sid,
		.token = token_now(r, run, a->d.sid, a->from),
	};

	reply(r, a->from, &ack, a->key);
	return result;
}

/* Bit i: the datagram with number base + i. */
static void put_held(const struct receiver_run *run, struct datagram_ack *a)
{
	a->base = run->held ? run->held->number : 0;
	for (const struct rx_lines *p = run->held; p; p = p->next)
		a->base = p->number < a->base ? p->number : a->base;
	for (const struct rx_lines *p = run->held; p; p = p->next)
		a->held |= UINT64_C(1) << (p->number - a->base);
}

void receiver_acknowledge(struct receiver *r, struct receiver_run *run, const struct rx_address *to)
{
	struct datagram_ack a = {
		.state = run->state,
		.sid = run->sid,
		.token = token_now(r, run, run->sid, to),
		.next = run->kept.next,
	};
	uint8_t own[SIPHASH_KEY_BYTES];

	put_held(run, &a);
	reply(r, to, &a, key_of(r, run, own));
}

/* ---- Taking ---- */

static bool signed_with_fleet_key(const struct arrival *a)
{
	return a->key != a->own;
}

/*
 * Returns RECEIVER_TAKEN if the datagram has only whole lines, each a record of this run, in the
 * right order, and if a node's own key is used for its own machine only.
 */
static enum receiver_result check_lines(const struct arrival *a)
{
	const struct datagram *d = &a->d;
	const char *at = d->text, *end = d->text + d->bytes;
	uint64_t seq = d->seq;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct line line;

		if (!newline || !store_line_read(at, (size_t)(newline - at), d->sid, &line) ||
		    line.seq != seq++)
			return RECEIVER_BAD_LINES;
		if (!signed_with_fleet_key(a) && summary_names_other(&line, d->uuid))
			return RECEIVER_FORGED;
		at = newline + 1;
	}
	return seq - d->seq == d->lines ? RECEIVER_TAKEN : RECEIVER_BAD_LINES;
}

void receiver_mark(struct receiver *r, struct receiver_run *run)
{
	run->is_dirty = true;
	if (run->is_written)
		return;
	run->next_dirty = r->dirty;
	r->dirty = run;
}

/* Make room for one more: active runs are the newest, and fewer than the table holds. */
static bool make_room(struct receiver *r)
{
	struct receiver_run *oldest = TAILQ_LAST(&r->runs.ages, receiver_ages);

	if (r->runs.count < r->setup.runs_known)
		return true;
	if (oldest->is_dirty || oldest->is_written)
		return false;
	receiver_forget(r, oldest);
	return true;
}

static bool may_begin(const struct receiver *r, const struct receiver_run *run)
{
	const struct receiver_setup *s = &r->setup;

	return r->runs_kept + r->runs_new < s->limits.runs_max &&
	       (!s->limits.runs_host || run->host->runs < s->limits.runs_host) &&
	       (!run->is_own || !s->limits.runs_node || run->node->runs < s->limits.runs_node);
}

struct receiver_account *receiver_hold_node(struct receiver *r, const char *uuid)
{
	struct receiver_account_id id;

	return uuid_parse(uuid, id.byte) ? receiver_account_hold(&r->nodes, &id) : NULL;
}

/* Note the address and the key that the run is begun from. */
static void name_run(struct store_run *run, const struct arrival *a)
{
	run->sid = a->d.sid;
	udp_socket_print_address(a->from, run->host, sizeof(run->host));
	if (!signed_with_fleet_key(a))
		uuid_print(a->d.uuid, run->owner);
}

/*
 * Returns the state of a new run, of which `kept` is stored (NULL: nothing); NULL: memory has run
 * out.
 */
static struct receiver_run *new_run(struct receiver *r, const struct arrival *a,
				    const struct store_run *kept)
{
	const struct receiver_account_id host = receiver_account_host(a->from);
	struct receiver_run *run = calloc(1, sizeof(*run));
	struct receiver_account_id node;

	if (!run)
		return NULL;
	run->sid = a->d.sid;
	run->is_own = !signed_with_fleet_key(a);
	run->is_new = !kept;
	if (kept)
		run->kept = *kept;
	else
		name_run(&run->kept, a);
	run->fresh_next = run->kept.next;
	run->ready_tail = &run->ready;
	memcpy(run->uuid, a->d.uuid, UUID_BYTES);
	memcpy(node.byte, run->uuid, UUID_BYTES);
	run->host = receiver_account_hold(&r->hosts, &host);
	if (run->is_own)
		run->node = receiver_account_hold(&r->nodes, &node);
	else
		run->node = receiver_hold_node(r, run->kept.summary.uuid);
	if (run->host && (run->node || !run->is_own))
		return run;
	free_run(r, run);
	return NULL;
}

static struct receiver_run *add_run(struct receiver *r, const struct arrival *a,
				    const struct store_run *kept, enum receiver_result *result)
{
	struct receiver_run *run = new_run(r, a, kept);

	if (run && run->is_new && !may_begin(r, run)) {
		*result = receiver_refuse(r, NULL, a, DATAGRAM_NO_RUNS, RECEIVER_NO_RUNS);
	} else if (!run || !make_room(r)) {
		*result = RECEIVER_NO_MEMORY;
	} else {
		insert_run(&r->runs, run);
		if (run->is_new)
			count_begun(r, run, false);
		return run;
	}
	if (run)
		free_run(r, run);
	return NULL;
}

/*
 * True if the run with this id was begun with the datagram's key: ids can be read on the network.
 */
static bool is_owners(const struct arrival *a, const struct store_run *kept)
{
	uint8_t uuid[UUID_BYTES];

	if (signed_with_fleet_key(a))
		return !*kept->owner;
	return uuid_parse(kept->owner, uuid) && memcmp(uuid, a->d.uuid, UUID_BYTES) == 0;
}

/* A run that is not known: as it is stored, or a new one. NULL: *result is the reason. */
static struct receiver_run *meet(struct receiver *r, const struct arrival *a,
				 enum receiver_result *result)
{
	const struct datagram *d = &a->d;
	struct store_run kept;
	int error = store_find(r->setup.reader, d->sid, &kept);

	if (error && error != ENOENT) {
		*result = receiver_refuse(r, NULL, a, DATAGRAM_NO_SPACE, RECEIVER_NO_FILE);
		return NULL;
	}
	if (!error && !is_owners(a, &kept)) {
		*result = hint(r, a, DATAGRAM_WRONG_KEY, RECEIVER_FORGED);
		return NULL;
	}
	/* Answer that nothing is stored, so that the node learns that a collector is there. */
	if (error && d->seq != d->lost) {
		*result = receiver_refuse(r, NULL, a, DATAGRAM_TAKEN, RECEIVER_UNKNOWN_RUN);
		return NULL;
	}
	return add_run(r, a, error ? NULL : &kept, result);
}

/* Drop the first lines of a datagram, which are already stored. */
static void skip_lines(struct rx_lines *p, uint64_t count)
{
	const char *at = p->text;

	p->seq += count;
	p->lines -= (uint32_t)count;
	for (; count; count--)
		at = (const char *)memchr(at, '\n', p->bytes) + 1;
	p->bytes -= (uint32_t)(at - p->text);
	memmove(p->text, at, p->bytes);
}

static void make_ready(struct receiver *r, struct receiver_run *run, struct rx_lines *p)
{
	if (p->seq < run->fresh_next)
		skip_lines(p, run->fresh_next - p->seq);
	run->fresh_next = p->seq + p->lines;
	p->next = NULL;
	*run->ready_tail = p;
	run->ready_tail = &p->next;
	run->ready_count++;
	r->ready++;
}

/* Make the held lines ready whose predecessors are there. */
static void release_held(struct receiver *r, struct receiver_run *run)
{
	while (run->held && run->held->seq - run->held->lost <= run->fresh_next) {
		struct rx_lines *p = run->held;

		run->held = p->next;
		count_held(r, run, 0, LINES_COST(p));
		if (p->seq + p->lines > run->fresh_next)
			make_ready(r, run, p);
		else
			free(p);
	}
}

/* True if its bit fits into one window with those of the lines held. */
static bool in_window(const struct receiver_run *run, uint64_t number)
{
	for (const struct rx_lines *p = run->held; p; p = p->next) {
		uint64_t apart = arith_apart(p->number, number);

		if (!apart || apart >= DATAGRAM_WINDOW)
			return false;
	}
	return true;
}

/* Drop the lines that other runs have held longest. False: this run itself holds too much. */
static bool make_hold_room(struct receiver *r, const struct receiver_run *run, size_t bytes)
{
	while (r->held_bytes + bytes > r->setup.hold_max) {
		struct receiver_run *other = TAILQ_FIRST(&r->holders);

		if (other == run)
			other = TAILQ_NEXT(other, holders);
		if (!other)
			return false;
		drop_held(r, other);
	}
	return true;
}

static enum receiver_result hold(struct receiver *r, struct receiver_run *run,
				 const struct datagram *d)
{
	struct rx_lines **at = &run->held, *p;

	while (*at && (*at)->seq < d->seq)
		at = &(*at)->next;
	if (*at && (*at)->seq == d->seq)
		return RECEIVER_DUPLICATE;
	if (!in_window(run, d->number))
		return RECEIVER_NO_MEMORY;
	p = make_hold_room(r, run, sizeof(*p) + d->bytes) ? lines_new(d) : NULL;
	if (!p)
		return RECEIVER_NO_MEMORY;
	count_held(r, run, LINES_COST(p), 0);
	p->next = *at;
	*at = p;
	return RECEIVER_HELD;
}

static bool is_kept(const struct receiver_run *run, const struct datagram *d)
{
	return d->seq + d->lines <= run->fresh_next;
}

static enum receiver_result take_lines(struct receiver *r, struct receiver_run *run,
				       const struct datagram *d)
{
	struct rx_lines *p;

	if (is_kept(run, d))
		return RECEIVER_DUPLICATE;
	if (d->seq - d->lost > run->fresh_next)
		return hold(r, run, d);
	p = lines_new(d);
	if (!p)
		return RECEIVER_NO_MEMORY;
	make_ready(r, run, p);
	release_held(r, run);
	return RECEIVER_TAKEN;
}

/* True if it is signed with the key of its run. */
static bool signed_with_key_of_run(const struct receiver_run *run, const struct arrival *a)
{
	if (run->is_own == signed_with_fleet_key(a))
		return false;
	return !run->is_own || memcmp(run->uuid, a->d.uuid, UUID_BYTES) == 0;
}

/* For a datagram whose signature is right, or that needs none. */
static enum receiver_result take_true(struct receiver *r, struct receiver_run *run,
				      const struct arrival *a)
{
	const struct datagram *d = &a->d;
	enum receiver_result result = RECEIVER_TAKEN;

	if (run && !signed_with_key_of_run(run, a))
		return hint(r, a, DATAGRAM_WRONG_KEY, RECEIVER_FORGED);
	if (r->setup.key && !token_is_good(r, run, a))
		return receiver_refuse(r, run, a, DATAGRAM_CHALLENGE,
				       d->token ? RECEIVER_REPLAYED : RECEIVER_CHALLENGED);
	/* The contents of a duplicate are not checked again. */
	if (!run || !is_kept(run, d))
		result = check_lines(a);
	if (result == RECEIVER_FORGED)
		return hint(r, a, DATAGRAM_WRONG_KEY, result);
	if (result != RECEIVER_TAKEN)
		return result;
	if (!run)
		run = meet(r, a, &result);
	if (!run)
		return result;
	result = take_lines(r, run, d);
	if (result != RECEIVER_TAKEN && result != RECEIVER_HELD && run->heard_ns &&
	    memcmp(&run->peer.from, &a->from->from, sizeof(a->from->from)) != 0) {
		receiver_acknowledge(r, run, a->from);
		return result;
	}
	run->token = d->token;
	run->is_old = a->is_old;
	run->peer = *a->from;
	run->heard_ns = r->setup.clock_ns(r->setup.ctx);
	TAILQ_REMOVE(&r->runs.ages, run, ages);
	TAILQ_INSERT_HEAD(&r->runs.ages, run, ages);
	if (!run->is_dirty)
		receiver_mark(r, run);
	return result;
}

/* For a datagram whose tag is right: forged ones do not cost a search of the list. */
static bool is_revoked(const struct receiver *r, const struct arrival *a)
{
	return r->setup.revoked && receiver_revoked_has(r->setup.revoked, a->d.uuid);
}

/*
 * True if the datagram is signed with the own key of the node that it names, and this key is not
 * revoked.
 */
static bool is_own(const struct receiver *r, struct arrival *a, bool is_old)
{
	static const uint8_t none[UUID_BYTES];

	if (memcmp(a->d.uuid, none, UUID_BYTES) == 0)
		return false;
	node_key(fleets_key(r, is_old), a->d.uuid, a->own);
	return read_with(a, a->own, is_old) == DATAGRAM_OK && !is_revoked(r, a);
}

/* A tag costs more than all else: begin with the key that is probably right. */
static enum datagram_result read_signed(const struct receiver *r, const struct receiver_run *run,
					struct arrival *a)
{
	bool is_old = run && run->is_old, has_own = run && run->is_own;
	enum datagram_result result;

	if (has_own && read_with(a, key_of(r, run, a->own), is_old) == DATAGRAM_OK &&
	    !is_revoked(r, a))
		return DATAGRAM_OK;
	result = read_with(a, r->setup.key, false);
	if (result != DATAGRAM_FORGED)
		return result;
	if (is_own(r, a, false))
		return DATAGRAM_OK;
	if (r->setup.old_key &&
	    (read_with(a, r->setup.old_key, true) == DATAGRAM_OK || is_own(r, a, true)))
		return DATAGRAM_OK;
	return DATAGRAM_FORGED;
}

static enum receiver_result authenticate(struct receiver *r, struct arrival *a)
{
	struct receiver_run *run = find_run(r, datagram_sid(a->bytes, a->count));

	switch (read_signed(r, run, a)) {
	case DATAGRAM_OK:
		return take_true(r, run, a);
	case DATAGRAM_DAMAGED:
		return RECEIVER_DAMAGED;
	case DATAGRAM_NOT_SIGNED:
		return hint(r, a, DATAGRAM_WANTS_KEY, RECEIVER_UNSIGNED);
	case DATAGRAM_NOT_ASKED:
		return hint(r, a, DATAGRAM_WITHOUT_KEY, RECEIVER_UNEXPECTED_SIGNATURE);
	case DATAGRAM_FORGED:
		return hint(r, a, DATAGRAM_WRONG_KEY, RECEIVER_FORGED);
	default:
		return RECEIVER_MALFORMED;
	}
}

static void count_stored(struct receiver *r, const struct receiver_stored *s, bool is_removed)
{
	const struct receiver_account_id id = receiver_account_host(&s->from);
	struct receiver_account *host = receiver_account_hold(&r->hosts, &id),
				*node = receiver_hold_node(r, s->uuid);

	receiver_account_count(host, 1, s->bytes, is_removed);
	receiver_account_count(node, s->is_own, s->bytes, is_removed);
	receiver_account_release(&r->hosts, host);
	receiver_account_release(&r->nodes, node);
}

void receiver_add_stored(struct receiver *r, const struct receiver_stored *s)
{
	r->runs_kept++;
	count_stored(r, s, false);
}

void receiver_remove_stored(struct receiver *r, uint64_t sid, const struct receiver_stored *s)
{
	struct receiver_run *run = find_run(r, sid);

	if (run && !run->is_new && !run->is_dirty && !run->is_written)
		receiver_forget(r, run);
	r->runs_kept -= r->runs_kept > 0;
	count_stored(r, s, true);
}

enum receiver_result receiver_take(struct receiver *r, const uint8_t *bytes, size_t count,
				   const struct rx_address *from)
{
	struct arrival a = { .from = from, .bytes = bytes, .count = count };
	enum receiver_result result = authenticate(r, &a);

	r->counts.result[result]++;
	return result;
}
