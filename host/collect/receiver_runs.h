/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs that a receiver knows: found by sid, and ordered by when they were last heard of. */
#pragma once

#include "receiver.h"
#include "core/lib/uuid.h"

/*
 * What each host and each node has begun and stored, so that none takes all that a collector
 * accepts. A host is an IPv4 address or, as anybody has that many addresses, the first 64 bits of
 * an IPv6 address; a node is a UUID. Accounts are in a balanced tree: no choice of addresses makes
 * a look-up slow. An account that counts nothing is freed.
 */
struct receiver_account_id {
	uint8_t byte[UUID_BYTES];
};

struct receiver_account {
	struct receiver_account_id id;
	uint64_t runs, bytes;
	size_t holders; /* runs in memory that point to it */
};

/* All zero at first. */
struct receiver_account_tree {
	void *tree;
};

/* The account of `id`, made if there is none, until receiver_account_release(). NULL: out of
 * memory. */
struct receiver_account *receiver_account_hold(struct receiver_account_tree *all,
					       const struct receiver_account_id *id);

/* `account` may be NULL. */
void receiver_account_release(struct receiver_account_tree *all, struct receiver_account *account);

/* Subtract runs and bytes, of which there may be fewer. */
void receiver_account_subtract(struct receiver_account *account, uint64_t runs, uint64_t bytes);

void receiver_account_free_all(struct receiver_account_tree *all);

/* The host of an address; all zero for a family that is not known. */
struct receiver_account_id receiver_account_host(const struct rx_address *from);

/* Lines of one datagram. */
struct rx_lines {
	struct rx_lines *next;
	uint64_t seq, number;
	uint32_t lost, lines, bytes;
	bool has_news; /* a line that changes the summary */
	char text[];
};

#define RX_LINES_COST(p) (sizeof(struct rx_lines) + (p)->bytes)

struct receiver_runs {
	struct receiver_run **bucket;
	unsigned bits;
	uint64_t odd; /* random: nobody can target one bucket */
	struct receiver_ages ages;
	size_t count;
};

/* For about `about` runs; false when memory has run out. */
bool receiver_runs_start(struct receiver_runs *r, size_t about, uint64_t random);
void receiver_runs_free(struct receiver_runs *r);

struct receiver_run *receiver_runs_find(const struct receiver_runs *r, uint64_t sid);
void receiver_runs_add(struct receiver_runs *r, struct receiver_run *run);
void receiver_runs_remove(struct receiver_runs *r, struct receiver_run *run);

/* Make it the newest. */
void receiver_runs_touch(struct receiver_runs *r, struct receiver_run *run);

/* The receiver's state, shared by its two parts: accepting and committing. */
struct receiver {
	struct receiver_setup setup;
	struct receiver_runs runs;
	struct receiver_account_tree hosts, nodes;
	struct receiver_counts counts;
	struct receiver_run *dirty; /* to be written or acknowledged, and not being written */
	size_t ready;               /* datagrams of all runs, in no commit yet */
	size_t held_bytes;
	size_t holding; /* runs that have some of them */
	TAILQ_HEAD(, receiver_run) holders;
	uint64_t runs_new; /* known, and not stored yet */
	uint64_t runs_met;
};

void rx_lines_free(struct rx_lines *p);

/* Acknowledge what the node has sent so far. */
void receiver_acknowledge(struct receiver *r, struct receiver_run *run,
			  const struct rx_address *to);

/* Add the run to the next commit, or to a later one while a running commit has it. */
void receiver_mark(struct receiver *r, struct receiver_run *run);

/* What is ready of it; ownership passes to the caller. */
struct rx_lines *receiver_take_ready(struct receiver *r, struct receiver_run *run);

/* The account of the node with that UUID; NULL: it is none, or memory has run out. */
struct receiver_account *receiver_hold_node(struct receiver *r, const char *uuid);

/* No commit may be writing it. */
void receiver_forget(struct receiver *r, struct receiver_run *run);
