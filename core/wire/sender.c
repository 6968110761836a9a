/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of datagrams, from the oldest that is not acknowledged to the one being filled. */
#include "sender.h"

#include "core/lib/arith.h"
#include "core/lib/mem.h"

/*
 * Round-trip times after which a datagram is sent again; PROBE_RTTS is for the oldest. A datagram
 * that arrives just after a commit has begun waits for two commits.
 */
#define PATIENCE_RTTS     4
#define PROBE_RTTS        3
#define DATAGRAMS_COUNTED 16 /* datagrams over which losses are counted */
/* Failures without an answer until the network or the collector counts as overrun or down. */
#define PROBES 10

static struct sender_slot *slot_of(const struct sender *s, uint64_t number)
{
	return &s->setup.slot[number % s->setup.slots];
}

static uint64_t now_ns(const struct sender *s)
{
	return s->setup.clock_ns(s->setup.ctx);
}

void sender_start(struct sender *s, const struct sender_setup *setup)
{
	*s = (struct sender){ .setup = *setup,
			      .window = SENDER_WINDOW_FIRST,
			      .retry_ns = SENDER_RETRY_NS,
			      .rtt_min_ns = UINT64_MAX };
}

/* Filling */

static bool fits_open(const struct sender *s, size_t bytes)
{
	return s->open && slot_of(s, s->end - 1)->text + bytes <= DATAGRAM_LINES_MAX;
}

bool sender_has_room(const struct sender *s, size_t bytes)
{
	return fits_open(s, bytes) || s->end - s->first < s->setup.slots;
}

static struct sender_slot *open_slot(struct sender *s)
{
	struct sender_slot *slot = slot_of(s, s->end);

	slot->seq = s->next_seq;
	slot->lost = s->lost;
	slot->since_ns = now_ns(s);
	slot->tries = slot->lines = slot->text = 0;
	slot->held = slot->hurried = false;
	s->lost = 0;
	s->end++;
	s->open = true;
	return slot;
}

/* The datagram for a line of this length; NULL: none. */
static struct sender_slot *slot_for(struct sender *s, size_t bytes)
{
	if (fits_open(s, bytes))
		return slot_of(s, s->end - 1);
	s->open = false;
	return sender_has_room(s, bytes) ? open_slot(s) : NULL;
}

bool sender_line(struct sender *s, const char *line, size_t bytes)
{
	bool fits = bytes >= DATAGRAM_LINES_MIN && bytes <= DATAGRAM_LINES_MAX && !s->finished;
	struct sender_slot *slot = fits ? slot_for(s, bytes) : NULL;

	if (slot) {
		memcpy(slot->bytes + DATAGRAM_HEADER + slot->text, line, bytes);
		slot->text = (uint16_t)(slot->text + bytes);
		slot->lines++;
	} else {
		/* Lines of a datagram are consecutive: the next line begins another. */
		s->open = false;
		s->lost++;
		s->lost_all++;
	}
	s->next_seq++;
	return slot != NULL;
}

void sender_flush(struct sender *s)
{
	s->open = false;
}

void sender_finish(struct sender *s)
{
	if (s->finished)
		return;
	s->finished = true;
	s->give_up_ns = now_ns(s) + s->setup.linger_ns;
	sender_flush(s);
}

/* Sending */

/*
 * The end of the datagrams that may be sent now. Signed datagrams without a token are not accepted.
 */
static uint64_t window_end(const struct sender *s)
{
	uint64_t sealed = s->end - s->open;
	uint32_t window = s->setup.key && !s->token ? 1 : s->window;

	return sealed - s->first < window ? sealed : s->first + window;
}

/*
 * True if nothing was received since the slot was sent. It is then not known to be lost, since the
 * collector may be down.
 */
static bool is_unheard(const struct sender *s, const struct sender_slot *slot)
{
	return slot->sent_ns >= s->heard_ns;
}

static void narrow(struct sender *s)
{
	s->window = s->window / 2 > SENDER_WINDOW_MIN ? s->window / 2 : SENDER_WINDOW_MIN;
}

/* If more is lost than arrives, more is in flight than the network or the collector can take. */
static void count_outcome(struct sender *s, bool lost)
{
	if (lost)
		s->counted_lost++;
	if (++s->counted < DATAGRAMS_COUNTED)
		return;
	if (2 * s->counted_lost > DATAGRAMS_COUNTED)
		narrow(s);
	s->counted = s->counted_lost = 0;
}

/*
 * Reduce the rate. If answers are known to arrive, the first few missing ones may be chance. A
 * token is given at once, and shows nothing about when lines will be acknowledged.
 */
static void back_off(struct sender *s)
{
	if (s->rtt_ns && s->probes++ < PROBES)
		return;
	s->retry_ns = arith_min(2 * s->retry_ns, SENDER_RETRY_MAX_NS);
	narrow(s);
}

/*
 * Number of lines lost before a slot. Acknowledged lines are dropped from the ring. A collector
 * that takes over lacks them: they are reported to it as lost, and the previous one has them.
 */
static uint32_t lost_before(const struct sender *s, const struct sender_slot *slot, uint64_t number)
{
	bool all = s->moved && number == s->first;

	return all && slot->seq <= UINT32_MAX ? (uint32_t)slot->seq : slot->lost;
}

static void send_slot(struct sender *s, uint64_t number, uint64_t now)
{
	struct sender_slot *slot = slot_of(s, number);
	const struct datagram d = {
		.sid = s->setup.sid,
		.token = s->token,
		.seq = slot->seq,
		.number = number,
		.lost = lost_before(s, slot, number),
		.lines = slot->lines,
		.uuid = s->setup.uuid,
		.text = (const char *)slot->bytes + DATAGRAM_HEADER,
		.bytes = slot->text,
	};
	size_t bytes = datagram_write(slot->bytes, &d, s->setup.key);

	if (!s->setup.send(s->setup.ctx, slot->bytes, bytes))
		return;
	if (slot->tries && is_unheard(s, slot))
		back_off(s);
	else if (slot->tries)
		count_outcome(s, true);
	if (number >= s->sent_end)
		s->sent_end = number + 1;
	else
		s->sent_again++;
	s->sent++;
	if (!slot->tries)
		slot->first_ns = now;
	slot->tries++;
	slot->sent_ns = slot->since_ns = now;
	slot->hurried = false;
}

/*
 * Time that a datagram waits if it was sent before the last answer. It is not shorter if the
 * collector is slower than silence is probed, or else the datagram would be sent twice.
 */
static uint64_t patience_ns(const struct sender *s)
{
	return arith_max(arith_min(PATIENCE_RTTS * s->rtt_ns, SENDER_PATIENCE_NS), s->retry_ns);
}

/*
 * Time at which it is to be sent; 0: as soon as the pace allows. Datagrams that were sent before
 * the round-trip time was known wait as long as those sent now. The oldest is sent earlier, as its
 * answer shows which of the others are lost (RFC 8985, 7: a probe).
 */
static uint64_t due_ns(const struct sender *s, uint64_t number)
{
	const struct sender_slot *slot = slot_of(s, number);
	unsigned rtts = number == s->first ? PROBE_RTTS : PATIENCE_RTTS;

	if (!slot->tries || slot->hurried)
		return 0;
	if (slot->held)
		return slot->since_ns + SENDER_RETRY_MAX_NS;
	if (!is_unheard(s, slot))
		return slot->since_ns + patience_ns(s) / PATIENCE_RTTS * rtts;
	return number != s->first ? UINT64_MAX : slot->since_ns + s->retry_ns;
}

/* Time at which the datagram being filled is sealed; UINT64_MAX: there is none. */
static uint64_t seal_ns(const struct sender *s)
{
	return s->open ? slot_of(s, s->end - 1)->since_ns + SENDER_FILL_NS : UINT64_MAX;
}

/* The oldest datagram that is due by `now`. False: none; *due is when the first will be. */
static bool find_due(const struct sender *s, uint64_t now, uint64_t *number, uint64_t *due)
{
	uint64_t end = window_end(s);

	*due = seal_ns(s);
	for (*number = s->first; *number < end; ++*number) {
		uint64_t when = due_ns(s, *number);

		if (when <= now)
			return true;
		if (when < *due)
			*due = when;
	}
	return false;
}

uint64_t sender_work(struct sender *s)
{
	uint64_t now = now_ns(s), number, due;
	uint64_t bound = s->finished && s->first != s->end ? s->give_up_ns : UINT64_MAX;

	s->gave_up = s->gave_up || now >= bound;
	if (s->gave_up)
		return UINT64_MAX;
	if (seal_ns(s) <= now)
		s->open = false;
	if (!find_due(s, now, &number, &due))
		return arith_min(due, bound);
	if (now >= s->pace_due_ns) {
		send_slot(s, number, now);
		s->pace_due_ns = now + s->setup.pace_ns;
	}
	return arith_min(s->pace_due_ns, bound);
}

/* Acknowledgement */

/* All that has been sent so far is due: the collector cannot have taken it. */
static void send_all_again(struct sender *s)
{
	for (uint64_t n = s->first; n < s->sent_end; n++) {
		struct sender_slot *slot = slot_of(s, n);

		slot->tries = 0;
		slot->held = false;
	}
}

/* After silence the node may be back at a collector that it had left. */
static bool is_replaced(const struct sender *s, uint64_t token)
{
	if (token == s->token || now_ns(s) - s->heard_ns >= SENDER_RETRY_MAX_NS)
		return false;
	for (unsigned i = 0; i < SENDER_TOKENS; i++) {
		if (token && s->replaced[i] == token)
			return true;
	}
	return false;
}

static void take_token(struct sender *s, uint64_t token)
{
	if (!token || token == s->token)
		return;
	s->replaced[s->tokens++ % SENDER_TOKENS] = s->token;
	s->token = token;
	send_all_again(s);
}

/* The seq after the last line that has been sent. */
static uint64_t seq_sent(const struct sender *s)
{
	const struct sender_slot *last;

	if (s->sent_end <= s->first)
		return s->acked;
	last = slot_of(s, s->sent_end - 1);
	return last->seq + last->lines;
}

static void set_retry(struct sender *s)
{
	uint64_t ns = s->rtt_ns ? PATIENCE_RTTS * s->rtt_ns : SENDER_RETRY_NS;

	s->retry_ns = arith_min(arith_max(ns, SENDER_RETRY_MIN_NS), SENDER_RETRY_MAX_NS);
}

/* Datagrams known to have arrived from an answer. */
struct arrived {
	uint64_t now, rtt_ns; /* the shortest; UINT64_MAX: unknown */
	uint64_t newest_ns;   /* when the last of them was sent */
};

/*
 * If a datagram was sent more than once, it is not known which one was answered. The round-trip
 * time is not learned from it (Karn's algorithm), except that an answer faster than any before is
 * to an earlier one. The last one is assumed to have arrived if the answer would be very late for
 * the first.
 */
static void see_arrival(struct sender *s, struct arrived *a, const struct sender_slot *slot)
{
	bool is_known = slot->tries <= 1 || a->now - slot->sent_ns < s->rtt_min_ns;
	bool is_last = s->rtt_ns && a->now - slot->first_ns > PROBE_RTTS * s->rtt_ns;
	uint64_t sent_ns = is_last ? slot->sent_ns : slot->first_ns;

	if (sent_ns > a->newest_ns)
		a->newest_ns = sent_ns;
	if (slot->held)
		return;
	count_outcome(s, false);
	if (is_known && a->now - slot->first_ns < a->rtt_ns)
		a->rtt_ns = a->now - slot->first_ns;
}

/*
 * The shortest time of the datagrams in an answer, not their mean: after a lost answer the next one
 * is late, and not a measure of the round-trip time.
 */
static void learn_rtt(struct sender *s, uint64_t ns)
{
	if (ns == UINT64_MAX)
		return;
	if (ns < s->rtt_min_ns)
		s->rtt_min_ns = ns;
	if (!s->rtt_ns)
		s->rtt_ns = ns;
	else if (ns < s->rtt_ns)
		s->rtt_ns -= (s->rtt_ns - ns) / 2;
	else
		s->rtt_ns += (ns - s->rtt_ns) / 8;
}

static void sender_release(struct sender *s, uint64_t next, struct arrived *a)
{
	if (next > s->acked && s->window < DATAGRAM_WINDOW)
		s->window++;
	s->acked = next;
	while (s->first < s->sent_end) {
		const struct sender_slot *slot = slot_of(s, s->first);

		if (slot->seq + slot->lines > next)
			break;
		see_arrival(s, a, slot);
		s->first++;
	}
}

static bool is_held(const struct datagram_ack *a, uint64_t number)
{
	return number >= a->base && number - a->base < DATAGRAM_WINDOW &&
	       a->held >> (number - a->base) & 1;
}

static void mark_held(struct sender *s, const struct datagram_ack *ack, struct arrived *a)
{
	for (uint64_t n = s->first; n < s->sent_end; n++) {
		struct sender_slot *slot = slot_of(s, n);
		bool was_held = slot->held, held = is_held(ack, n);

		if (held)
			see_arrival(s, a, slot);
		if (held || was_held)
			slot->since_ns = a->now;
		if (held)
			slot->hurried = false;
		slot->held = held;
	}
}

/* A datagram that was sent well before another one, which has arrived, is lost (RFC 8985, 6.2). */
static void hurry_lost(struct sender *s, const struct arrived *a)
{
	uint64_t well_ns = arith_max(s->rtt_ns / 2, SENDER_RETRY_MIN_NS);

	for (uint64_t n = s->first; n < s->sent_end; n++) {
		struct sender_slot *slot = slot_of(s, n);

		if (!slot->held && slot->sent_ns + well_ns < a->newest_ns)
			slot->hurried = true;
	}
}

static void take_ack(struct sender *s, const struct datagram_ack *a)
{
	struct arrived arrived = { .now = now_ns(s), .rtt_ns = UINT64_MAX };

	/*
	 * The answer was overtaken by a later one, or its collector lacks lines that another
	 * collector has.
	 */
	s->moved = a->next < s->acked && a->state == DATAGRAM_TAKEN;
	if (a->next < s->acked)
		return;
	if (a->next > seq_sent(s)) {
		s->acks_refused++;
		return;
	}
	sender_release(s, a->next, &arrived);
	mark_held(s, a, &arrived);
	hurry_lost(s, &arrived);
	learn_rtt(s, arrived.rtt_ns);
	set_retry(s);
}

void sender_take(struct sender *s, const uint8_t *bytes, size_t count)
{
	struct datagram_ack a;
	enum datagram_result result = datagram_read_ack(bytes, count, s->setup.key, &a);
	bool is_hint = (result == DATAGRAM_NOT_SIGNED || result == DATAGRAM_NOT_ASKED) &&
		       a.sid == s->setup.sid && a.state > DATAGRAM_CHALLENGE;

	if (is_hint)
		s->refusal = a.state;
	/* A token that is given again answers a datagram that was sent again with it meanwhile. */
	if (result != DATAGRAM_OK || a.sid != s->setup.sid || is_replaced(s, a.token) ||
	    (a.state == DATAGRAM_CHALLENGE && a.token == s->token)) {
		s->acks_refused++;
		return;
	}
	s->acks++;
	s->heard_ns = now_ns(s);
	s->probes = 0;
	s->refusal = a.state == DATAGRAM_CHALLENGE ? DATAGRAM_TAKEN : a.state;
	if (s->setup.key)
		take_token(s, a.token);
	if (a.state == DATAGRAM_TAKEN || a.state == DATAGRAM_NO_SPACE)
		take_ack(s, &a);
}

enum sender_state sender_state(const struct sender *s)
{
	if (!s->finished || (s->first != s->end && !s->gave_up))
		return SENDER_BUSY;
	return s->gave_up || s->lost_all ? SENDER_GAVE_UP : SENDER_DELIVERED;
}

uint64_t sender_undelivered(const struct sender *s)
{
	uint64_t count = s->lost_all;

	for (uint64_t n = s->first; n < s->end; n++) {
		const struct sender_slot *slot = slot_of(s, n);
		uint64_t kept = s->acked > slot->seq ? s->acked - slot->seq : 0;

		count += slot->lines - kept;
	}
	return count;
}
