/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP to one peer over one card, by lwIP: ARP and neighbour discovery, DHCP, ping answered.
 * Polled: nothing happens but in net_work() and net_send(). There is one of it; its memory is
 * given, and it allocates no other. Whatever comes from the network may be hostile.
 */
#pragma once

#include "core/lib/ipaddr.h"
#include "core/lib/text.h"
#include "drivers/nic/nic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the stack needs, bytes; 8-byte aligned. */
#define NET_MEMORY (72 * 1024)

struct net_peer {
	struct ipaddr address;
	uint16_t port;
};

struct net_setup {
	struct nic *nic;
	void *memory;
	uint64_t random;                 /* differs from run to run */
	uint64_t (*clock_ns)(void *ctx); /* never goes back */
	uint16_t vlan;                   /* tag of all frames, 1 to 4094; 0: none */
	/*
	 * Our own address; IPADDR_NONE: by DHCP, or by router advertisements to an IPv6 peer, which
	 * are heeded in any case. IPv6 takes all of its /64 for its own link.
	 */
	struct ipaddr_setup ip;
	/* An IPv4 `ip` is leased from now on for so long: DHCP goes on after half. 0: ours. */
	uint64_t lease_ns;
	struct net_peer peer;
	/* A datagram came from the peer. */
	void (*taken)(void *ctx, const uint8_t *bytes, size_t count);
	void *ctx;
};

/* Begin. The card stays the caller's. False: lwIP refused; see net_problem(). */
bool net_open(const struct net_setup *s);

/* End: a lease is given back. It may be opened again, with the same memory as it was left. */
void net_close(void);

/*
 * Another card from now on, with the same MAC address: what is known of addresses and
 * neighbours stays. NULL: none, frames that are sent go nowhere.
 */
void net_use(struct nic *nic);

/* Take what has come, at most some dozens of frames, and do what time demands. */
void net_work(void);

/* A datagram to the peer; false: not now (no address yet, no link, no room in the card). */
bool net_send(const uint8_t *bytes, size_t count);

/* Is there a link and an address by which the peer could be reached? */
bool net_ready(void);

/* Why the network is no longer used: the card's problem, or a check of lwIP's; NULL: it is. */
const char *net_problem(void);

/* For people: "10.0.2.15/24", "10.0.2.15/24, fec0::5054:ff:fe12:3456", "no address". */
void net_print_address(struct text *out);
