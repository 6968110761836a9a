/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiver's state, shared by its two parts: accepting and committing. */
#pragma once

#include "receiver_runs.h"

struct receiver {
	struct receiver_setup setup;
	struct receiver_runs runs;
	struct receiver_counts counts;
	struct receiver_run *dirty; /* to be written or acknowledged, and not being written */
	size_t ready;               /* pieces of all runs, in no commit yet */
	size_t held_bytes;
	uint64_t runs_new; /* known, without a file yet */
};

void rx_lines_free(struct rx_lines *p);

/* Acknowledge what the node has sent so far. */
void receiver_acknowledge(struct receiver *r, struct receiver_run *run);

/* Add the run to the next commit, or to a later one while a running commit has it. */
void receiver_mark(struct receiver *r, struct receiver_run *run);

/* What is ready of it; ownership passes to the caller. */
struct rx_lines *receiver_take_ready(struct receiver *r, struct receiver_run *run);

/* No commit may be writing it. */
void receiver_forget(struct receiver *r, struct receiver_run *run);
