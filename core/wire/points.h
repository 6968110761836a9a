/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines to datagrams, only complete ones and as many as fit, without acknowledgement: for engines
 * that accept points over UDP. A bad line may make a database drop the whole datagram, so no line
 * is cut.
 *
 * Independent of networks, clocks and pace: those belong to the caller's send function, which may
 * refuse a datagram for now, or wait. Refused datagrams are kept in a ring and sent in order; when
 * the ring is full, lines are lost, and counted. Allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POINTS_DATAGRAM_MAX 1200

/* A datagram in the ring. */
struct points_slot {
	uint16_t bytes, lines;
	char text[POINTS_DATAGRAM_MAX];
};

struct points_setup {
	struct points_slot *slot; /* the ring, not to be touched until the end */
	uint32_t slots;           /* at least 1 */
	/* False: not now; retried at the next points_work(). */
	bool (*send)(void *ctx, const char *text, size_t bytes);
	void *ctx;
};

struct points {
	struct points_setup setup;
	uint64_t first; /* number of the oldest datagram in the ring */
	uint64_t end;   /* number of the next one */
	bool open;      /* the last one is being filled */
	/* For display. */
	uint64_t lines, lines_lost; /* given; of these, lost */
	uint64_t lines_sent, sent;  /* and datagrams */
};

void points_start(struct points *p, const struct points_setup *setup);

/*
 * One line, with its newline. False: it is lost, because it is longer than a datagram, does not end
 * in its only newline, or because the ring is full and send() refuses.
 */
bool points_line(struct points *p, const char *line, size_t bytes);

/* Add no more lines to the datagram that is being filled. */
void points_flush(struct points *p);

/* Send what is full or flushed, until there is no more or send() refuses. True: no more. */
bool points_work(struct points *p);
