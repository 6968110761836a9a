/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from 10.1.1.1 to 10.1.1.9, whose lengths and checksums are right. */
#pragma once

#include "core/lib/bytes.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MS    UINT64_C(1000000)
#define ETHER 14
#define IP4   20
#define IP6   40
#define UDP   8
#define BOOTP 240 /* with the cookie of options */

static const uint8_t our_mac[] = { 2, 0, 0, 0, 0, 1 }, peer_mac[] = { 2, 0, 0, 0, 0, 2 };
static const uint8_t our_ip[] = { 10, 1, 1, 9 }, peer_ip[] = { 10, 1, 1, 1 };

static inline uint32_t frames_sum(const uint8_t *b, size_t bytes, uint32_t so_far)
{
	for (size_t i = 0; i < bytes; i++)
		so_far += i & 1 ? b[i] : (uint32_t)b[i] << 8;
	return so_far;
}

static inline uint16_t frames_folded(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

/* Write Ethernet's header, with a tag if there is one. Returns the place of the rest. */
static inline uint8_t *frames_ether(uint8_t *f, unsigned vlan, unsigned type)
{
	uint8_t *at = f + 12;

	memcpy(f, our_mac, 6);
	memcpy(f + 6, peer_mac, 6);
	if (vlan) {
		bytes_put_be16(at, 0x8100);
		bytes_put_be16(at + 2, (uint16_t)vlan);
		at += 4;
	}
	bytes_put_be16(at, (uint16_t)type);
	return at + 2;
}

/* Write an ARP packet of 28 bytes. */
static inline void frames_arp(uint8_t *at, unsigned operation)
{
	memcpy(at, "\0\1\x08\0\6\4\0", 7);
	at[7] = (uint8_t)operation;
	memcpy(at + 8, peer_mac, 6);
	memcpy(at + 14, peer_ip, 4);
	memcpy(at + 18, our_mac, 6);
	memcpy(at + 24, our_ip, 4);
}

/* Write the header of an IPv4 packet. Returns its end. */
static inline uint8_t *frames_ip4(uint8_t *ip, unsigned protocol, size_t bytes)
{
	ip[0] = 0x45;
	bytes_put_be16(ip + 2, (uint16_t)(IP4 + bytes));
	ip[8] = 64;
	ip[9] = (uint8_t)protocol;
	memcpy(ip + 12, peer_ip, 4);
	memcpy(ip + 16, our_ip, 4);
	bytes_put_be16(ip + 10, (uint16_t)~frames_folded(frames_sum(ip, IP4, 0)));
	return ip + IP4 + bytes;
}

static inline void frames_udp(uint8_t *udp, unsigned from, unsigned to, size_t bytes)
{
	bytes_put_be16(udp, (uint16_t)from);
	bytes_put_be16(udp + 2, (uint16_t)to);
	bytes_put_be16(udp + 4, (uint16_t)(UDP + bytes));
}

/* Write a server's answer of this kind, from its head to its own address. Returns its end. */
static inline uint8_t *frames_dhcp(uint8_t *d, const uint8_t xid[4], unsigned kind)
{
	memcpy(d, "\2\1\6", 3);
	memcpy(d + 4, xid, 4);
	memcpy(d + 16, our_ip, 4);
	memcpy(d + 28, our_mac, 6);
	memcpy(d + 236, "\x63\x82\x53\x63\x35\1", 6);
	d[242] = (uint8_t)kind;
	memcpy(d + 243, "\x36\4\x0a\1\1\1", 6);
	return d + 249;
}
