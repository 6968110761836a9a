/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many runs each host has begun, so that none takes all that a collector accepts. A host is an
 * IPv4 address or, as anybody has that many, the first 64 bits of an IPv6 address.
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

/* The host of an address; all zero for a family that is not known. */
struct in6_addr receiver_hosts_of(const struct rx_address *place);
