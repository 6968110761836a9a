/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP to one peer over one card, by lwIP: ARP and neighbour discovery, DHCP, answers to ping. The
 * stack is polled: it works only inside net_work() and net_send(). There is one instance, which
 * uses only the memory it is given. Input from the network may be hostile.
 */
#pragma once

#include "core/lib/ipaddr.h"
#include "core/lib/text.h"
#include "drivers/nic/nic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stack's memory, bytes; 8-byte aligned. */
#define NET_MEMORY (72 * 1024)

struct net_setup {
	struct nic *nic;
	void *memory;
	uint64_t random;                 /* differs from run to run */
	uint64_t (*clock_ns)(void *ctx); /* never goes back */
	uint16_t vlan;                   /* tag of all frames, 1 to 4094; 0: none */
	/*
	 * Our own address. With IPADDR_NONE it comes from DHCP or, for an IPv6 peer, from router
	 * advertisements; these are processed in any case. The whole /64 of an IPv6 address counts
	 * as the local link.
	 */
	struct ipaddr_setup ip;
	struct ipaddr peer;
	uint16_t peer_port;
	/* Called for each datagram from the peer. */
	void (*taken)(void *ctx, const uint8_t *bytes, size_t count);
	void *ctx;
};

/* Begin. The card remains the caller's. False: lwIP failed; see net_problem(). */
bool net_open(const struct net_setup *s);

/* End, and release a lease. net_open() may follow, with the memory unchanged. */
void net_close(void);

/* Process received frames, at most some dozens of them, and expired timers. */
void net_work(void);

/* Send a datagram to the peer. False: not now (no address yet, no link, no room in the card). */
bool net_send(const uint8_t *bytes, size_t count);

/* True if there is a link, and an address from which the peer can be reached. */
bool net_ready(void);

/*
 * The reason why the network is no longer used: a fault of the card, or a failed check of lwIP.
 * NULL: it is in use.
 */
const char *net_problem(void);

/*
 * Append the address for people: "10.0.2.15/24", "10.0.2.15/24, fec0::5054:ff:fe12:3456", "no
 * address".
 */
void net_print_address(struct text *out);
