/* SPDX-License-Identifier: BSD-2-Clause */
/* What a receiver is, for its own two parts: taking and committing. */
#ifndef HOST_RECEIVER_STATE_H
#define HOST_RECEIVER_STATE_H

#include "receiver_runs.h"

struct receiver {
	struct receiver_setup setup;
	struct runs runs;
	struct receiver_counts counts;
	struct receiver_run *dirty; /* to be written or acknowledged, and not being written */
	size_t ready;               /* pieces of all runs, of no commit yet */
	size_t held_bytes;
	uint64_t runs_new; /* known, and without a file yet */
};

void pieces_free(struct piece *p);

/* Answer the node of what it has sent so far. */
void receiver_acknowledge(struct receiver *r, struct receiver_run *run);

/* The run is of the next commit; of one after that, where one has it that has not ended. */
void receiver_mark(struct receiver *r, struct receiver_run *run);

/* What is ready of it, which is the caller's from now on. */
struct piece *receiver_take_ready(struct receiver *r, struct receiver_run *run);

/* No commit may be writing it. */
void receiver_forget(struct receiver *r, struct receiver_run *run);

#endif
