/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from a network that lies. The input's first byte selects how the stack gets its address;
 * then come orders, each a byte and what it takes: raw frames, or packets whose lengths,
 * checksums and transaction numbers are made right, because a fuzzer cannot guess them.
 * Nothing may go past its memory, and none of lwIP's own checks may fail.
 */
#include "core/lib/bytes.h"
#include "drivers/net/net.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define MS    UINT64_C(1000000)
#define ETHER 14
#define IP4   20
#define IP6   40
#define UDP   8
#define BOOTP 240

enum order { RAW, ARP, UDP4, ANSWER, DHCP, ICMP, ICMP6, UDP6, TIME, LINK, SEND, ORDERS };

static const uint8_t our_mac[] = { 2, 0, 0, 0, 0, 1 }, peer_mac[] = { 2, 0, 0, 0, 0, 2 };
static const uint8_t our_ip[] = { 10, 1, 1, 9 }, peer_ip[] = { 10, 1, 1, 1 };

static struct {
	const uint8_t *at, *end;
	uint64_t now_ns;
	bool link, has_frame;
	uint8_t frame[NIC_FRAME_MAX];
	size_t bytes;
	uint8_t xid[4]; /* of the last DHCP message */
	uint8_t our_port[2];
	unsigned vlan;
} f;

static uint64_t memory[NET_MEMORY / 8];

static uint8_t take(void)
{
	return f.at < f.end ? *f.at++ : 0;
}

static size_t take_bytes(uint8_t *to, size_t most)
{
	size_t n = take() | (size_t)take() << 8;

	if (n > most)
		n = most;
	if (n > (size_t)(f.end - f.at))
		n = (size_t)(f.end - f.at);
	memcpy(to, f.at, n);
	f.at += n;
	return n;
}

/* The card */

static bool card_link(struct nic *n)
{
	(void)n;
	return f.link;
}

static bool card_send(struct nic *n, const uint8_t *frame, size_t bytes)
{
	const uint8_t *ip = frame + ETHER + (f.vlan ? 4 : 0), *udp = ip + IP4;

	(void)n;
	if (bytes > NIC_FRAME_MAX)
		abort();
	if (bytes < (size_t)(udp - frame) + UDP + BOOTP || ip[0] != 0x45)
		return true;
	memcpy(f.our_port, udp, 2);
	if (bytes_be16(udp + 2) == 67)
		memcpy(f.xid, udp + UDP + 4, 4);
	return true;
}

static size_t card_receive(struct nic *n, uint8_t *frame, size_t room)
{
	size_t bytes = f.has_frame ? f.bytes : 0;

	(void)n;
	if (room < NIC_FRAME_MAX)
		abort();
	f.has_frame = false;
	memcpy(frame, f.frame, bytes);
	return bytes;
}

static uint64_t clock_ns(void *ctx)
{
	(void)ctx;
	return f.now_ns;
}

static void taken(void *ctx, const uint8_t *bytes, size_t count)
{
	static volatile uint8_t sink;

	(void)ctx;
	for (size_t i = 0; i < count; i++)
		sink = (uint8_t)(sink + bytes[i]);
}

static void come(size_t bytes)
{
	f.bytes = bytes < sizeof(f.frame) ? bytes : sizeof(f.frame);
	f.has_frame = true;
	net_work();
}

/* What is made right */

static void put_be16(uint8_t *to, size_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static uint32_t sum(const uint8_t *b, size_t bytes, uint32_t so_far)
{
	for (size_t i = 0; i < bytes; i++)
		so_far += i & 1 ? b[i] : (uint32_t)b[i] << 8;
	return so_far;
}

static size_t inverted(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s & 0xffff;
}

static uint8_t *ether(unsigned type)
{
	uint8_t *at = f.frame + 12;

	memset(f.frame, 0, sizeof(f.frame));
	memcpy(f.frame, our_mac, 6);
	memcpy(f.frame + 6, peer_mac, 6);
	if (f.vlan) {
		put_be16(at, 0x8100);
		put_be16(at + 2, f.vlan);
		at += 4;
	}
	put_be16(at, type);
	return at + 2;
}

/* An IPv4 packet with `bytes` of payload already in place. */
static void come_ip4(uint8_t *ip, unsigned protocol, size_t bytes)
{
	ip[0] = 0x45;
	put_be16(ip + 2, IP4 + bytes);
	ip[8] = 64;
	ip[9] = (uint8_t)protocol;
	memcpy(ip + 12, peer_ip, 4);
	memcpy(ip + 16, our_ip, 4);
	put_be16(ip + 10, inverted(sum(ip, IP4, 0)));
	come((size_t)(ip + IP4 + bytes - f.frame));
}

/* The same of IPv6, from and to addresses of the input's choice. */
static void come_ip6(uint8_t *ip, unsigned protocol, size_t bytes, size_t checksum_at)
{
	uint8_t *body = ip + IP6;
	uint32_t s = protocol + (uint32_t)bytes;

	ip[0] = 0x60;
	put_be16(ip + 4, bytes);
	ip[6] = (uint8_t)protocol;
	ip[7] = 255;
	memcpy(ip + 8, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\2", 16);
	memcpy(ip + 24, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	if (bytes >= checksum_at + 2) {
		put_be16(body + checksum_at, 0);
		put_be16(body + checksum_at, inverted(sum(body, bytes, sum(ip + 8, 32, s))));
	}
	memcpy(f.frame, "\x33\x33\0\0\0\1", 6);
	come((size_t)(body + bytes - f.frame));
}

/* The orders */

static void arp(void)
{
	uint8_t *at = ether(0x0806);

	memcpy(at, "\0\1\x08\0\6\4\0\2", 8);
	memcpy(at + 8, peer_mac, 6);
	memcpy(at + 14, peer_ip, 4);
	memcpy(at + 18, our_mac, 6);
	memcpy(at + 24, our_ip, 4);
	at[take() % 28] = take();
	come((size_t)(at - f.frame) + (take() & 1 ? 46 : take() % 28u));
}

static void udp4(bool is_answer)
{
	uint8_t *ip = ether(0x0800), *udp = ip + IP4;
	size_t bytes = take_bytes(udp + UDP, 1400);

	put_be16(udp, is_answer ? 5514 : take());
	memcpy(udp + 2, f.our_port, 2);
	put_be16(udp + 4, UDP + bytes);
	come_ip4(ip, 17, UDP + bytes);
}

static void dhcp(void)
{
	uint8_t *ip = ether(0x0800), *udp = ip + IP4, *d = udp + UDP;
	size_t bytes;

	d[0] = 2;
	d[1] = 1;
	d[2] = 6;
	memcpy(d + 4, f.xid, 4);
	memcpy(d + 16, our_ip, 4);
	memcpy(d + 28, our_mac, 6);
	memcpy(d + 236, "\x63\x82\x53\x63\x35\1", 6);
	d[242] = take();
	memcpy(d + 243, "\x36\4\x0a\1\1\1", 6);
	bytes = 249 + take_bytes(d + 249, 800);
	put_be16(udp, 67);
	put_be16(udp + 2, 68);
	put_be16(udp + 4, UDP + bytes);
	come_ip4(ip, 17, UDP + bytes);
}

static void icmp(void)
{
	uint8_t *ip = ether(0x0800), *body = ip + IP4;
	size_t bytes = take_bytes(body, 1400);

	if (bytes >= 4) {
		put_be16(body + 2, 0);
		put_be16(body + 2, inverted(sum(body, bytes, 0)));
	}
	come_ip4(ip, 1, bytes);
}

static void obey(void)
{
	uint8_t *at;
	size_t n;

	switch (take() % ORDERS) {
	case RAW:
		come(take_bytes(f.frame, sizeof(f.frame)));
		break;
	case ARP:
		arp();
		break;
	case UDP4:
	case ANSWER:
		udp4(take() & 1);
		break;
	case DHCP:
		dhcp();
		break;
	case ICMP:
		icmp();
		break;
	case ICMP6:
		at = ether(0x86dd);
		n = take_bytes(at + IP6, 1400);
		come_ip6(at, 58, n, 2);
		break;
	case UDP6:
		at = ether(0x86dd);
		n = take_bytes(at + IP6, 1400);
		/* Or another header: hop-by-hop options, routing, fragments. */
		come_ip6(at, take(), n, 6);
		break;
	case TIME:
		f.now_ns += take() * 50 * MS;
		net_work();
		break;
	case LINK:
		f.link = take() & 1;
		f.now_ns += 300 * MS;
		net_work();
		break;
	default:
		net_send(f.frame, take() * 5u);
		break;
	}
}

static void set_up(struct net_setup *s, struct nic *nic)
{
	uint8_t way = take();

	*nic = (struct nic){ .link = card_link, .send = card_send, .receive = card_receive };
	memcpy(nic->mac, our_mac, sizeof(our_mac));
	*s = (struct net_setup){
		.nic = nic,
		.memory = memory,
		.random = way,
		.clock_ns = clock_ns,
		.peer = { ipaddr_v4(peer_ip), 5514 },
		.taken = taken,
	};
	if (way & 1)
		ipaddr_parse_setup(&s->ip, "10.1.1.9/24,10.1.1.254", 22);
	if (way & 2) {
		ipaddr_parse(&s->peer.address, "fd00::1", 7);
		if (way & 1)
			ipaddr_parse_setup(&s->ip, "fd00::9/64,fd00::fe", 19);
	}
	s->vlan = f.vlan = way & 4 ? 42 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct nic nic;
	struct net_setup setup;

	f.at = data;
	f.end = data + bytes;
	f.link = true;
	f.has_frame = false;
	set_up(&setup, &nic);
	if (!net_open(&setup))
		abort();
	while (f.at < f.end)
		obey();
	if (net_problem())
		abort();
	net_close();
	return 0;
}
