/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each host and each node has begun and stored, so that none takes all that a collector
 * accepts. A host is an IPv4 address or, as anybody has that many addresses, the first 64 bits of
 * an IPv6 address; a node is a UUID. Accounts are in a balanced tree: no choice of addresses makes
 * a look-up slow. An account that counts nothing is freed.
 */
#pragma once

#include "receiver.h"

#include "core/lib/uuid.h"

struct account_id {
	uint8_t byte[UUID_BYTES];
};

struct account {
	struct account_id id;
	uint64_t runs, bytes;
	size_t holders; /* runs in memory that point to it */
};

/* All zero at first. */
struct account_tree {
	void *tree;
};

/* The account of `id`, made if there is none, until account_release(). NULL: out of memory. */
struct account *account_hold(struct account_tree *all, const struct account_id *id);

/* `account` may be NULL. */
void account_release(struct account_tree *all, struct account *account);

/* Subtract runs and bytes, of which there may be fewer. */
void account_subtract(struct account *account, uint64_t runs, uint64_t bytes);

void account_free_all(struct account_tree *all);

/* The host of an address; all zero for a family that is not known. */
struct account_id account_host(const struct rx_address *from);
