/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The node's end of "records over UDP" (datagram.h): keeps lines in a bounded ring of datagrams
 * until the collector has acknowledged them, sends them paced, and again when no answer comes.
 * Independent of networks: the caller provides a clock and a send function, passes on what arrives,
 * and calls sender_work() as often as it likes. Allocates nothing.
 *
 * A datagram that is not acknowledged although answers arrive is sent again: after SENDER_RETRY_NS
 * or, once the round-trip time is known, four times that; the oldest after three quarters of it; at
 * once, if one has arrived that was sent later, by half a round-trip time and SENDER_RETRY_MIN_NS.
 * While there is no answer at all, only the oldest is sent again, after the whole time, which is
 * doubled for each retry, up to SENDER_RETRY_MAX_NS: from the first on, or, once the round-trip
 * time is known, after some failures. Each of these halves the number of datagrams in flight, and
 * so does a majority of losses among the last datagrams; every answer raises it by one. So
 * thousands of nodes that overrun a collector slow down to its speed, and moderate loss slows down
 * none. Nothing is randomized: the pace spreads what is due at the same time.
 */
#pragma once

#include "datagram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SENDER_RETRY_NS     UINT64_C(200000000)
#define SENDER_RETRY_MIN_NS UINT64_C(25000000)
#define SENDER_RETRY_MAX_NS UINT64_C(5000000000)
/*
 * Longest wait for an acknowledgement while answers arrive. It is four round-trip times, if that is
 * shorter (RFC 6298, 2.5: not less).
 */
#define SENDER_PATIENCE_NS UINT64_C(60000000000)
/* Datagrams in flight, initially and at least; at most DATAGRAM_WINDOW. */
#define SENDER_WINDOW_FIRST 16
#define SENDER_WINDOW_MIN   4
/*
 * Replaced tokens, for example after a collector was restarted, or another took its place. An ack
 * with one of them is late, or was recorded: it is refused unless no other ack has come for
 * SENDER_RETRY_MAX_NS.
 */
#define SENDER_TOKENS 16
/* Time that a datagram that is not full waits for more lines. */
#define SENDER_FILL_NS UINT64_C(10000000)

/* A datagram in the ring. */
struct sender_slot {
	uint64_t seq;
	uint64_t first_ns; /* sent for the first time */
	uint64_t sent_ns;  /* last */
	uint64_t since_ns; /* sent, begun, or last known to be held */
	uint32_t lost;
	uint32_t tries;       /* times it was sent */
	uint16_t lines, text; /* number, and bytes */
	bool hurried;         /* probably lost: to be sent at once */
	bool held;            /* by the collector, which may forget it */
	uint8_t bytes[DATAGRAM_MAX];
};

struct sender_setup {
	uint64_t sid;
	const uint8_t *key;              /* SIPHASH_KEY_BYTES; NULL: not signed. Must stay */
	const uint8_t *uuid;             /* machine's UUID, as in struct datagram. Must stay */
	struct sender_slot *slot;        /* ring. Must stay */
	uint32_t slots;                  /* slots of the ring, at least 1 */
	uint64_t pace_ns;                /* minimum time between two datagrams; usually 1 ms */
	uint64_t linger_ns;              /* time that sender_finish() waits for acknowledgement */
	uint64_t (*clock_ns)(void *ctx); /* never goes back */
	/* False: not now (no address resolved yet, no room in the NIC): retried later. */
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
	uint64_t next_seq;                /* seq of the next line */
	uint64_t acked;                   /* all lines with a seq below are stored, or lost */
	bool moved;                       /* the collector lacks lines that another has */
	uint32_t lost;                    /* lines lost since the last datagram was begun */
	uint64_t lost_all;                /* all lines lost for want of room */
	uint64_t token;                   /* token from the collector */
	uint64_t replaced[SENDER_TOKENS]; /* earlier ones */
	uint32_t tokens;                  /* how many there were */
	uint64_t pace_due_ns;             /* not before this */
	uint64_t give_up_ns;
	uint32_t window;       /* maximum of datagrams in flight */
	uint64_t heard_ns;     /* when the last answer came */
	uint64_t retry_ns;     /* time to wait for the next one */
	uint32_t probes;       /* sent since then */
	uint32_t counted;      /* recent datagrams that arrived or were lost */
	uint32_t counted_lost; /* lost ones among `counted` */
	uint64_t rtt_ns;       /* round-trip time; 0: not known yet */
	uint64_t rtt_min_ns;   /* its minimum */
	/* For display. */
	enum datagram_state refusal; /* the collector's last state; DATAGRAM_TAKEN: no error */
	uint64_t sent, sent_again, acks, acks_refused;
};

void sender_start(struct sender *s, const struct sender_setup *setup);

/*
 * Add the next line of the run's link, with its newline. Its seq must be one more than that of the
 * line before, from 0. False: it is lost, because the ring is full or the line is longer than
 * DATAGRAM_LINES_MAX; it counts as undelivered.
 */
bool sender_line(struct sender *s, const char *line, size_t bytes);

/*
 * True if there is room for a line of `bytes`. A caller that can wait calls sender_work() until
 * there is.
 */
bool sender_has_room(const struct sender *s, size_t bytes);

/* Send the lines given so far without waiting for more. */
void sender_flush(struct sender *s);

/*
 * Send everything that is due. Returns the time at which there is more to do; UINT64_MAX: nothing.
 */
uint64_t sender_work(struct sender *s);

/* Take a datagram from the collector's address. */
void sender_take(struct sender *s, const uint8_t *bytes, size_t count);

/* Finish: there are no more lines, and the linger time starts now. */
void sender_finish(struct sender *s);

/* The state remains BUSY until after sender_finish(); call sender_work() until it changes. */
enum sender_state sender_state(const struct sender *s);

/* Lines that are not acknowledged, including those lost for lack of room. */
uint64_t sender_undelivered(const struct sender *s);
