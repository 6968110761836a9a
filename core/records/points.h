/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines into datagrams, whole ones and as many as fit, without acknowledgement: for engines
 * that take points over UDP. One bad line may cost a database the whole datagram, so a line
 * is never cut.
 *
 * Knows nothing of networks, clocks and pace: those are the caller's way to send, which may
 * refuse a datagram for now, or wait its turn. Datagrams that were refused are kept in a ring
 * and sent in order; when the ring is full, lines are lost, and counted. Allocates nothing.
 */
#ifndef CORE_POINTS_H
#define CORE_POINTS_H

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
	struct points_slot *slot; /* the ring, to be left alone until the end */
	uint32_t slots;           /* at least 1 */
	/* False: not now; it is tried again at the next points_work(). */
	bool (*send)(void *ctx, const char *text, size_t bytes);
	void *ctx;
};

struct points {
	struct points_setup setup;
	uint64_t first; /* number of the oldest datagram in the ring */
	uint64_t end;   /* number of the next one */
	bool open;      /* the last one is being filled */
	/* For people. */
	uint64_t lines, lines_lost; /* given; of them not taken */
	uint64_t lines_sent, sent;  /* and datagrams */
};

void points_start(struct points *p, const struct points_setup *setup);

/*
 * One line, with its newline. False: it is lost, because it is longer than a datagram, ends
 * in no newline or has another, or because the ring is full and send() will not take one.
 */
bool points_line(struct points *p, const char *line, size_t bytes);

/* Let no more lines into the datagram that is being filled. */
void points_flush(struct points *p);

/* Send what is full or flushed, until there is no more or send() refuses. True: no more. */
bool points_work(struct points *p);

#endif
