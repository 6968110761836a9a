/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from a network that lies. The input's first byte selects how the stack gets its address;
 * then come commands, each one byte and its arguments: raw frames, or packets whose lengths,
 * checksums and transaction numbers are corrected, because a fuzzer cannot guess them. No access
 * may leave the stack's memory, and none of lwIP's own checks may fail.
 */
#include "drivers/net/net.h"
#include "tests/fuzz/take.h"
#include "tests/unit/frames.h"

enum order { RAW, ARP, UDP4, ANSWER, DHCP, ICMP, ICMP6, UDP6, TIME, LINK, SEND, ORDERS };

static struct {
	uint64_t now_ns;
	bool link, has_frame;
	uint8_t frame[NIC_FRAME_MAX];
	size_t bytes;
	uint8_t xid[4]; /* the last DHCP message's */
	uint8_t our_port[2];
	unsigned vlan;
} f;

static uint64_t memory[NET_MEMORY / 8];

static size_t take_up_to(uint8_t *to, size_t most)
{
	size_t n = take_byte() | (size_t)take_byte() << 8;

	if (n > most)
		n = most;
	if (n > (size_t)(take.end - take.at))
		n = (size_t)(take.end - take.at);
	take_bytes(to, n);
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
	insist(bytes <= NIC_FRAME_MAX);
	if (bytes < (size_t)(udp - frame) + UDP + BOOTP || ip[0] != 0x45)
		return true;
	memcpy(f.our_port, udp, 2);
	if (bytes_be16(udp + 2) == 67)
		memcpy(f.xid, udp + UDP + 4, 4);
	return true;
}

static bool card_receive(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes)
{
	bool has_frame = f.has_frame;

	(void)n;
	*bytes = has_frame ? f.bytes : 0;
	f.has_frame = false;
	memcpy(frame, f.frame, *bytes);
	return has_frame;
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

/* Valid packets */

static uint8_t *ether(unsigned type)
{
	memset(f.frame, 0, sizeof(f.frame));
	return frames_ether(f.frame, f.vlan, type);
}

/* An IPv4 packet with `bytes` of payload already in place. */
static void come_ip4(uint8_t *ip, unsigned protocol, size_t bytes)
{
	come((size_t)(frames_ip4(ip, protocol, bytes) - f.frame));
}

static uint16_t inverted(uint32_t s)
{
	return (uint16_t)~frames_folded(s);
}

/* Finish an IPv6 packet, from and to addresses of the input's choice. */
static void come_ip6(uint8_t *ip, unsigned protocol, size_t bytes, size_t checksum_at)
{
	uint8_t *body = ip + IP6;
	uint32_t s = protocol + (uint32_t)bytes;

	ip[0] = 0x60;
	bytes_put_be16(ip + 4, (uint16_t)bytes);
	ip[6] = (uint8_t)protocol;
	ip[7] = 255;
	memcpy(ip + 8, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\2", 16);
	memcpy(ip + 24, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	if (bytes >= checksum_at + 2) {
		bytes_put_be16(body + checksum_at, 0);
		bytes_put_be16(body + checksum_at,
			       inverted(frames_sum(body, bytes, frames_sum(ip + 8, 32, s))));
	}
	memcpy(f.frame, "\x33\x33\0\0\0\1", 6);
	come((size_t)(body + bytes - f.frame));
}

/* The commands */

static void arp(void)
{
	uint8_t *at = ether(0x0806);

	frames_arp(at, 2);
	at[take_byte() % 28] = take_byte();
	come((size_t)(at - f.frame) + (take_byte() & 1 ? 46 : take_byte() % 28u));
}

static void udp4(bool is_answer)
{
	uint8_t *ip = ether(0x0800), *udp = ip + IP4;
	size_t bytes = take_up_to(udp + UDP, 1400);

	frames_udp(udp, is_answer ? 5514 : take_byte(), bytes_be16(f.our_port), bytes);
	come_ip4(ip, 17, UDP + bytes);
}

static void dhcp(void)
{
	uint8_t *ip = ether(0x0800), *udp = ip + IP4;
	uint8_t *end = frames_dhcp(udp + UDP, f.xid, take_byte());

	end += take_up_to(end, 800);
	frames_udp(udp, 67, 68, (size_t)(end - udp) - UDP);
	come_ip4(ip, 17, (size_t)(end - udp));
}

static void icmp(void)
{
	uint8_t *ip = ether(0x0800), *body = ip + IP4;
	size_t bytes = take_up_to(body, 1400);

	if (bytes >= 4) {
		bytes_put_be16(body + 2, 0);
		bytes_put_be16(body + 2, inverted(frames_sum(body, bytes, 0)));
	}
	come_ip4(ip, 1, bytes);
}

static void obey(void)
{
	uint8_t *at;
	size_t n;

	switch (take_byte() % ORDERS) {
	case RAW:
		come(take_up_to(f.frame, sizeof(f.frame)));
		break;
	case ARP:
		arp();
		break;
	case UDP4:
	case ANSWER:
		udp4(take_byte() & 1);
		break;
	case DHCP:
		dhcp();
		break;
	case ICMP:
		icmp();
		break;
	case ICMP6:
		at = ether(0x86dd);
		n = take_up_to(at + IP6, 1400);
		come_ip6(at, 58, n, 2);
		break;
	case UDP6:
		at = ether(0x86dd);
		n = take_up_to(at + IP6, 1400);
		/* Another header: hop-by-hop options, routing, fragments. */
		come_ip6(at, take_byte(), n, 6);
		break;
	case TIME:
		f.now_ns += take_byte() * 50 * MS;
		net_work();
		break;
	case LINK:
		f.link = take_byte() & 1;
		f.now_ns += 300 * MS;
		net_work();
		break;
	default:
		net_send(f.frame, take_byte() * 5u);
		break;
	}
}

static void set_up(struct net_setup *s, struct nic *nic)
{
	uint8_t way = take_byte();

	*nic = (struct nic){ .link = card_link, .send = card_send, .receive = card_receive };
	memcpy(nic->mac, our_mac, sizeof(our_mac));
	*s = (struct net_setup){
		.nic = nic,
		.memory = memory,
		.random = way,
		.clock_ns = clock_ns,
		.peer = ipaddr_v4(peer_ip),
		.peer_port = 5514,
		.taken = taken,
	};
	if (way & 1)
		ipaddr_parse_setup(&s->ip, "10.1.1.9/24,10.1.1.254", 22);
	if (way & 2) {
		ipaddr_parse(&s->peer, "fd00::1", 7);
		if (way & 1)
			ipaddr_parse_setup(&s->ip, "fd00::9/64,fd00::fe", 19);
	}
	s->vlan = f.vlan = way & 4 ? 42 : 0;
}

FUZZ(0, SIZE_MAX)
{
	static struct nic nic;
	struct net_setup setup;

	f.link = true;
	f.has_frame = false;
	set_up(&setup, &nic);
	insist(net_open(&setup));
	while (take_more())
		obey();
	insist(!net_problem());
	net_close();
}
