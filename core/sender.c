/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of datagrams, from the oldest that is not acknowledged to the one being filled. */
#include "sender.h"

#include "mem.h"

/* A later datagram that is held says that an earlier one is late; so many, that it is lost. */
#define LATER_HELD 3
#define FATES      16 /* datagrams of which it is counted how many were lost */
#define PROBES     10 /* without an answer, before the network or the collector is overrun or away */
#define TRIES_MAX  8  /* more than one is all that matters */

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
			      .retry_ns = SENDER_RETRY_NS };
}

/* Filling */

bool sender_has_room(const struct sender *s)
{
	return s->end - s->first < s->setup.slots;
}

static struct sender_slot *open_slot(struct sender *s)
{
	struct sender_slot *slot = slot_of(s, s->end);

	slot->seq = s->next_seq;
	slot->lost = s->lost;
	slot->due_ns = now_ns(s) + SENDER_FILL_NS;
	slot->lines = slot->text = slot->tries = 0;
	slot->held = false;
	s->lost = 0;
	s->end++;
	s->open = true;
	return slot;
}

/* The datagram that takes a line of this length; NULL: none. */
static struct sender_slot *slot_for(struct sender *s, size_t bytes)
{
	if (s->open) {
		struct sender_slot *slot = slot_of(s, s->end - 1);

		if (slot->text + bytes <= DATAGRAM_LINES_MAX)
			return slot;
		s->open = false;
	}
	return sender_has_room(s) ? open_slot(s) : NULL;
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
		/* Lines of one datagram are neighbours: what follows begins another. */
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

/* Behind the last datagram that may be sent now. */
static uint64_t window_end(const struct sender *s)
{
	uint64_t sealed = s->end - s->open;

	return sealed - s->first < s->window ? sealed : s->first + s->window;
}

/* Has nothing come since it was sent? Then it is not known to be lost: nobody may be there. */
static bool is_unheard(const struct sender *s, const struct sender_slot *slot)
{
	return slot->sent_ns >= s->heard_ns;
}

static void narrow(struct sender *s)
{
	s->window = s->window / 2 > SENDER_WINDOW_MIN ? s->window / 2 : SENDER_WINDOW_MIN;
}

/* Where more is lost than arrives there is more under way than anybody takes. */
static void count_fate(struct sender *s, bool lost)
{
	if (lost)
		s->fates_lost++;
	if (++s->fates < FATES)
		return;
	if (2 * s->fates_lost > FATES)
		narrow(s);
	s->fates = s->fates_lost = 0;
}

/* The first few times that nothing comes may be chance where something has come before. */
static void back_off(struct sender *s)
{
	if (s->heard_ns && s->probes++ < PROBES)
		return;
	s->retry_ns = 2 * s->retry_ns < SENDER_RETRY_MAX_NS ? 2 * s->retry_ns : SENDER_RETRY_MAX_NS;
	narrow(s);
}

static bool send_slot(struct sender *s, uint64_t number, uint64_t now)
{
	struct sender_slot *slot = slot_of(s, number);
	const struct datagram d = {
		.sid = s->setup.sid,
		.token = s->token,
		.seq = slot->seq,
		.number = number,
		.lost = slot->lost,
		.lines = slot->lines,
		.text = (const char *)slot->bytes + DATAGRAM_HEADER,
		.bytes = slot->text,
	};
	size_t bytes = datagram_write(slot->bytes, &d, s->setup.key);

	if (!s->setup.send(s->setup.ctx, slot->bytes, bytes))
		return false;
	if (slot->tries && is_unheard(s, slot))
		back_off(s);
	else if (slot->tries)
		count_fate(s, true);
	if (number >= s->sent_end)
		s->sent_end = number + 1;
	else
		s->sent_again++;
	s->sent++;
	if (slot->tries < TRIES_MAX)
		slot->tries++;
	slot->sent_ns = now;
	slot->due_ns = now + s->retry_ns;
	return true;
}

/* When it is to be sent; 0: as soon as the pace allows. */
static uint64_t due_ns(const struct sender *s, uint64_t number)
{
	const struct sender_slot *slot = slot_of(s, number);

	if (number >= s->sent_end)
		return 0;
	return slot->tries && is_unheard(s, slot) && number != s->first ? UINT64_MAX : slot->due_ns;
}

/* The oldest datagram that is due by `now`. False: none; *due is when the first will be. */
static bool find_due(const struct sender *s, uint64_t now, uint64_t *number, uint64_t *due)
{
	uint64_t end = window_end(s);

	*due = s->open ? slot_of(s, s->end - 1)->due_ns : UINT64_MAX;
	for (*number = s->first; *number < end; ++*number) {
		uint64_t when = due_ns(s, *number);

		if (when <= now)
			return true;
		if (when < *due)
			*due = when;
	}
	return false;
}

static void seal_in_time(struct sender *s, uint64_t now)
{
	if (s->open && slot_of(s, s->end - 1)->due_ns <= now)
		s->open = false;
}

static bool is_late(struct sender *s, uint64_t now)
{
	if (s->finished && s->first != s->end && now >= s->give_up_ns)
		s->gave_up = true;
	return s->gave_up;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t sender_work(struct sender *s)
{
	uint64_t now = now_ns(s), number, due, bound;

	if (is_late(s, now))
		return UINT64_MAX;
	seal_in_time(s, now);
	bound = s->finished && s->first != s->end ? s->give_up_ns : UINT64_MAX;
	if (!find_due(s, now, &number, &due))
		return earlier(due, bound);
	if (now < s->pace_due_ns)
		return earlier(s->pace_due_ns, bound);
	send_slot(s, number, now);
	s->pace_due_ns = now + s->setup.pace_ns;
	return earlier(s->pace_due_ns, bound);
}

/* Acknowledgement */

/* All that has been sent so far is due: the collector cannot have taken it. */
static void send_all_again(struct sender *s)
{
	for (uint64_t n = s->first; n < s->sent_end; n++) {
		struct sender_slot *slot = slot_of(s, n);

		slot->due_ns = 0;
		slot->tries = 0;
		slot->held = false;
	}
}

static void take_token(struct sender *s, uint64_t token)
{
	if (!token || token == s->token)
		return;
	s->token = token;
	send_all_again(s);
}

/* Of what has been sent, seq behind its last line. */
static uint64_t seq_sent(const struct sender *s)
{
	const struct sender_slot *last;

	if (s->sent_end <= s->first)
		return s->acked;
	last = slot_of(s, s->sent_end - 1);
	return last->seq + last->lines;
}

/* Four times as long as answers take, once any have come. */
static void set_retry(struct sender *s)
{
	uint64_t ns = s->rtt_ns ? 4 * s->rtt_ns : SENDER_RETRY_NS;

	if (ns < SENDER_RETRY_MIN_NS)
		ns = SENDER_RETRY_MIN_NS;
	s->retry_ns = ns < SENDER_RETRY_MAX_NS ? ns : SENDER_RETRY_MAX_NS;
}

/*
 * An answer that can only be to the one time it was sent (Karn) says how long answers take. Not
 * the mean: where answers are lost, the next one comes late, and says nothing of how long it took.
 */
static void learn_rtt(struct sender *s, const struct sender_slot *slot, uint64_t now)
{
	uint64_t ns = now - slot->sent_ns;

	if (slot->tries != 1 || slot->held)
		return;
	if (!s->rtt_ns)
		s->rtt_ns = ns;
	else if (ns < s->rtt_ns)
		s->rtt_ns -= (s->rtt_ns - ns) / 2;
	else
		s->rtt_ns += (ns - s->rtt_ns) / 8;
}

static void release(struct sender *s, uint64_t next, uint64_t now)
{
	if (next > s->acked && s->window < DATAGRAM_WINDOW)
		s->window++;
	s->acked = next;
	while (s->first < s->sent_end) {
		const struct sender_slot *slot = slot_of(s, s->first);

		if (slot->seq + slot->lines > next)
			break;
		learn_rtt(s, slot, now);
		if (!slot->held)
			count_fate(s, false);
		s->first++;
	}
}

static bool is_held(const struct datagram_ack *a, uint64_t number)
{
	return number >= a->base && number - a->base < DATAGRAM_WINDOW &&
	       a->held >> (number - a->base) & 1;
}

/* From the latest to the oldest, so that it is known how many later ones are held. */
static void mark_held(struct sender *s, const struct datagram_ack *a, uint64_t now)
{
	uint64_t newest_ns = 0;
	unsigned later = 0;

	for (uint64_t n = s->sent_end; n-- > s->first;) {
		struct sender_slot *slot = slot_of(s, n);

		bool was_held = slot->held;

		if (is_held(a, n) && !was_held) {
			learn_rtt(s, slot, now);
			count_fate(s, false);
		}
		slot->held = is_held(a, n);
		if (slot->held) {
			slot->due_ns = now + SENDER_RETRY_MAX_NS;
			later++;
			newest_ns = slot->sent_ns > newest_ns ? slot->sent_ns : newest_ns;
		} else if (was_held) {
			slot->due_ns = now + s->retry_ns;
		} else if (later >= LATER_HELD && slot->sent_ns + s->rtt_ns / 2 < newest_ns) {
			slot->due_ns = now;
		}
	}
}

static void take_ack(struct sender *s, const struct datagram_ack *a)
{
	/* What was overtaken by a later one, and what nobody can know. */
	if (a->next < s->acked)
		return;
	if (a->next > seq_sent(s)) {
		s->acks_refused++;
		return;
	}
	release(s, a->next, now_ns(s));
	mark_held(s, a, now_ns(s));
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
	if (result != DATAGRAM_OK || a.sid != s->setup.sid) {
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
