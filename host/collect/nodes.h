/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The latest run of each node that has ended, for Prometheus: as many series as there are nodes,
 * whatever the number of their runs. A node without a UUID is none.
 *
 * Of more than NODES_MAX nodes each host has a fair share, and verdicts other than pass and none
 * come first. A host is an IPv4 address or, as anybody has that many, the first 64 bits of an IPv6
 * address.
 */
#pragma once

#include "host/fleet/store/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NODES_MAX 10000

struct nodes {
	struct store *store; /* of the thread that prints */
	char *text;          /* as it was printed last, */
	size_t bytes;
	bool changed;    /* which it is no longer, */
	uint64_t due_ns; /* and not again before this; 0: now */
};

bool nodes_open(struct nodes *nodes, const char *folder, char why[STORE_WHY]);
void nodes_close(struct nodes *nodes);

/* Many nodes are not printed anew each time: that takes up to a twentieth of the time. */
void nodes_print(struct nodes *nodes, FILE *to);
