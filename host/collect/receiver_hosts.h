/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many runs each host has begun, and how many bytes of them are stored, so that none takes all
 * that a collector accepts. A host is an IPv4 address or, as anybody has that many, the first 64
 * bits of an IPv6 address.
 */
#pragma once

#include "receiver.h"

struct receiver_hosts {
	struct receiver_host *slot; /* NULL: nothing is counted */
	size_t used, slots;
	uint64_t odd; /* random: nobody can target one slot */
};

/* `random` as for receiver_runs_start(). */
void receiver_hosts_start(struct receiver_hosts *h, uint64_t random);
void receiver_hosts_free(struct receiver_hosts *h);

uint64_t receiver_hosts_runs(const struct receiver_hosts *h, const struct in6_addr *host);

/* One more or, `less`, one fewer. When memory has run out, a new host is not counted. */
void receiver_hosts_count(struct receiver_hosts *h, const struct in6_addr *host, bool less);

uint64_t receiver_hosts_bytes(const struct receiver_hosts *h, const struct in6_addr *host);

/* So many bytes more or, `less`, fewer. The same when memory has run out. */
void receiver_hosts_count_bytes(struct receiver_hosts *h, const struct in6_addr *host,
				uint64_t bytes, bool less);

/*
 * A node of this UUID, in any case, as if it were a host: for a table of its own. `secret`, of
 * SIPHASH_KEY_BYTES: nobody can make two nodes one.
 */
struct in6_addr receiver_hosts_of_node(const uint8_t *secret, const char *uuid);

/* The host of an address; all zero for a family that is not known. */
struct in6_addr receiver_hosts_of(const struct rx_address *place);
