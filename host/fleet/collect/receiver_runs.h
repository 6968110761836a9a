/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs that a receiver knows: found by sid, and ordered by when they were last heard of. */
#ifndef HOST_RECEIVER_RUNS_H
#define HOST_RECEIVER_RUNS_H

#include "receiver.h"

/* Lines of one datagram. */
struct piece {
	struct piece *next;
	uint64_t seq, number;
	uint32_t lost, lines, bytes;
	bool has_news; /* a line that changes the summary */
	char text[];
};

#define PIECE_COST(p) (sizeof(struct piece) + (p)->bytes)

struct runs {
	struct receiver_run **bucket;
	unsigned bits;
	uint64_t odd; /* random: nobody can target one bucket */
	struct receiver_run *newest, *oldest;
	size_t count;
};

/* For about `about` runs; false when memory has run out. */
bool runs_start(struct runs *r, size_t about, uint64_t random);
void runs_free(struct runs *r);

struct receiver_run *runs_find(const struct runs *r, uint64_t sid);
void runs_add(struct runs *r, struct receiver_run *run);
void runs_remove(struct runs *r, struct receiver_run *run);

/* Make it the newest. */
void runs_touch(struct runs *r, struct receiver_run *run);

/*
 * Is the line, without its newline, a complete record of this run in printable ASCII? It may then
 * be shown on terminals.
 */
bool receiver_line(const char *text, size_t bytes, uint64_t sid, struct line *line);

#endif
