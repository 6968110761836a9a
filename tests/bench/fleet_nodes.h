/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of fleet_nodes. All but fleet_print() print one JSON object; each returns an exit code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fleet_options {
	uint16_t port; /* on 127.0.0.1 */
	bool hosts;    /* each node has an address of its own: tests/bench/hosts.py */
	const char *dir;
	uint32_t nodes;
	uint32_t gaps;      /* per node, see fleet_stream.h */
	uint64_t rate;      /* lines per second, all nodes together; 0: as fast as it goes */
	uint64_t give_up_s; /* all nodes give up when nothing was acknowledged for so long */
	const uint8_t *key; /* NULL: not signed */
	bool own_keys;      /* each node signs with its own key, made from `key` */
};

/* Nodes with a socket and a sender each. Exit code 1: not all was delivered. */
int fleet_send(const struct fleet_options *o);

/* Send the same lines in syslog's form, one per datagram. There are no answers. */
int fleet_syslog(const struct fleet_options *o);

/* The lines of the nodes, one node's after the other's, to standard output. */
int fleet_print(const struct fleet_options *o);

/*
 * Check that each node's file in `dir` has every line of the node once, and nothing else. Returns 1
 * if not.
 */
int fleet_check(const struct fleet_options *o);

/* The node's socket, connected to the port; ends the program where there is none. */
int fleet_socket(const struct fleet_options *o, uint32_t number);

uint64_t fleet_now_ns(void *unused);
