/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet as text or JSON. */
#pragma once

#include "fleet_group.h"
#include "fleet_services.h"

struct fleet {
	const char *from;        /* for messages, printable */
	struct fleet_node *node; /* the latest run of each machine */
	struct fleet_services services;
	size_t nodes, runs, unread;
};

/*
 * Compare each machine with its peers, and print. Returns the exit code: 1 some differ, 2 there are
 * none. The list of nodes stays the caller's, in another order.
 */
int fleet_show(struct fleet *f, bool as_json);
