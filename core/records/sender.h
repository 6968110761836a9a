/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The node's end of "records over UDP" (datagram.h): keeps lines in a bounded ring of
 * datagrams until the collector has acknowledged them, sends them paced, and again when no
 * answer comes. Knows nothing of networks: the caller gives a clock and a way to send, brings
 * what arrives, and calls sender_work() as often as it likes. Allocates nothing.
 *
 * A datagram that is not acknowledged though answers come is sent again: after SENDER_RETRY_NS
 * or, once any have come, four times as long as they take; at once, when the collector holds
 * three later ones, one of which was sent after it. While no answer comes at all, only the oldest
 * is sent again, after that time and, when that has been in vain some times, after twice as long
 * each time, at most SENDER_RETRY_MAX_NS. Each of these halves how many may be under way, and so
 * does it when of the last datagrams more were lost than arrived; every answer raises it by one.
 * So thousands of nodes that overrun a collector slow down to what it takes, and some loss slows
 * nobody down. There is no chance in it: the pace spreads what is due together.
 */
#ifndef CORE_SENDER_H
#define CORE_SENDER_H

#include "datagram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SENDER_RETRY_NS     UINT64_C(200000000)
#define SENDER_RETRY_MIN_NS UINT64_C(25000000)
#define SENDER_RETRY_MAX_NS UINT64_C(5000000000)
/* So many datagrams are under way at first, and at least; at most DATAGRAM_WINDOW. */
#define SENDER_WINDOW_FIRST 16
#define SENDER_WINDOW_MIN   4
/* A datagram that is not full waits so long for more lines. */
#define SENDER_FILL_NS UINT64_C(10000000)

/* A datagram in the ring. */
struct sender_slot {
	uint64_t seq;
	uint64_t first_ns; /* sent for the first time */
	uint64_t sent_ns;  /* last */
	uint64_t since_ns; /* sent, begun, or last known to be held */
	uint32_t lost;
	uint16_t lines, text; /* how many, bytes of them */
	uint8_t tries;        /* sent so often; stops counting where it no longer matters */
	bool hurried;         /* lost, it seems: to be sent at once */
	bool held;            /* by the collector, which may forget it */
	uint8_t bytes[DATAGRAM_MAX];
};

struct sender_setup {
	uint64_t sid;
	const uint8_t *key;       /* SIPHASH_KEY_BYTES; NULL: not signed. Must stay */
	struct sender_slot *slot; /* the ring, to be left alone until the end */
	uint32_t slots;           /* at least 1 */
	uint64_t pace_ns;         /* from one datagram to the next, at least; 1 ms is customary */
	uint64_t linger_ns;       /* how long sender_finish() waits for acknowledgement */
	uint64_t (*clock_ns)(void *ctx); /* never goes back */
	/* False: not now (no address resolved yet, no room in the NIC): is tried again. */
	bool (*send)(void *ctx, const uint8_t *bytes, size_t count);
	void *ctx;
};

enum sender_state {
	SENDER_BUSY,
	SENDER_DELIVERED, /* finished, and every line is acknowledged */
	SENDER_GAVE_UP,   /* finished, and sender_undelivered() lines are not */
};

struct sender {
	struct sender_setup setup;
	uint64_t first;    /* number of the oldest datagram in the ring */
	uint64_t end;      /* number of the next one */
	uint64_t sent_end; /* all numbers below have been sent once */
	bool open;         /* the last one is being filled */
	bool finished;
	bool gave_up;
	uint64_t next_seq;    /* of the next line */
	uint64_t acked;       /* all lines with a seq below are kept, or lost */
	uint32_t lost;        /* lines lost since the last datagram was begun */
	uint64_t lost_all;    /* all lines lost for want of room */
	uint64_t token;       /* that the collector gave */
	uint64_t pace_due_ns; /* not before this */
	uint64_t give_up_ns;
	uint32_t window;     /* datagrams under way, at most */
	uint64_t heard_ns;   /* when the last answer came */
	uint64_t retry_ns;   /* how long to wait for the next */
	uint32_t probes;     /* that were sent since then */
	uint32_t fates;      /* datagrams that arrived or were lost, lately */
	uint32_t fates_lost; /* of these */
	uint64_t rtt_ns;     /* how long answers take; 0: none has come yet */
	uint64_t rtt_min_ns; /* the least so far */
	/* For people. */
	enum datagram_state
		refusal; /* what the collector said last; DATAGRAM_TAKEN: nothing amiss */
	uint64_t sent, sent_again, acks, acks_refused;
};

void sender_start(struct sender *s, const struct sender_setup *setup);

/*
 * The next line of the run's link, with its newline; its seq must be one more than that of
 * the line before, from 0. False: it is lost, because the ring is full or the line is longer than
 * DATAGRAM_LINES_MAX; it counts as undelivered.
 */
bool sender_line(struct sender *s, const char *line, size_t bytes);

/* Would a line of so many bytes find room? Whoever can wait calls sender_work() until it does. */
bool sender_has_room(const struct sender *s, size_t bytes);

/* Send what has been given so far without waiting for more. */
void sender_flush(struct sender *s);

/* Send what is due. Returns when there is more to do, on the clock; UINT64_MAX: nothing. */
uint64_t sender_work(struct sender *s);

/* A datagram came from the collector's address. */
void sender_take(struct sender *s, const uint8_t *bytes, size_t count);

/* There are no more lines; from now on the time to linger runs. */
void sender_finish(struct sender *s);

/* Not BUSY only after sender_finish(); sender_work() is to be called until then. */
enum sender_state sender_state(const struct sender *s);

/* Lines that are not acknowledged, those lost for want of room among them. */
uint64_t sender_undelivered(const struct sender *s);

#endif
