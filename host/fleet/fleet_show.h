/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet as text or JSON, wherever its machines were read. */
#pragma once

#include "fleet_group.h"

struct fleet {
	const char *from;              /* for messages, printable */
	const char *parts;             /* what its points are: "files" ... */
	const struct folders *folders; /* of nodes that have their figures in files; NULL: none */
	struct fleet_node *node;       /* runs, of which the latest of each machine is shown */
	size_t nodes, runs, unread;
};

/*
 * Compare each machine with its peers, and print. Returns the exit code: 1 some differ, 2 there are
 * none. The list of nodes stays the caller's, in another order.
 */
int fleet_show(struct fleet *f, bool as_json);
