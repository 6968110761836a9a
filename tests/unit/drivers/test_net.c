/* SPDX-License-Identifier: BSD-2-Clause */
/* The network stack with a card that keeps frames in memory, and with a peer played here. */
#include "drivers/net/net.h"
#include "tests/unit/common/test.h"
#include "tests/unit/frames.h"

#define FRAMES  64
#define PORT    5514
#define VLAN_ID 42

struct frame {
	size_t bytes;
	uint8_t byte[NIC_FRAME_MAX];
};

struct wire {
	struct nic nic;
	bool link, full, is_damaged; /* damaged: there are bad frames without end */
	struct frame sent[FRAMES], to_come[FRAMES];
	unsigned sents, coming, came, looks;
	uint64_t now_ns;
	uint8_t taken[2048];
	size_t taken_bytes;
	unsigned takens;
};

static struct wire wire;
static uint64_t memory[NET_MEMORY / 8];

static bool card_link(struct nic *n)
{
	(void)n;
	return wire.link;
}

static bool card_send(struct nic *n, const uint8_t *frame, size_t bytes)
{
	(void)n;
	assert_in_range(bytes, 1, NIC_FRAME_MAX);
	if (wire.full || wire.sents == FRAMES)
		return false;
	wire.sent[wire.sents].bytes = bytes;
	memcpy(wire.sent[wire.sents++].byte, frame, bytes);
	return true;
}

static bool card_receive(struct nic *n, uint8_t frame[NIC_FRAME_MAX], size_t *bytes)
{
	const struct frame *f = &wire.to_come[wire.came];

	(void)n;
	*bytes = 0;
	if (wire.is_damaged)
		wire.looks++;
	if (wire.is_damaged || wire.came == wire.coming)
		return wire.is_damaged;
	wire.came++;
	memcpy(frame, f->byte, f->bytes);
	*bytes = f->bytes;
	return true;
}

static uint64_t clock_ns(void *ctx)
{
	(void)ctx;
	return wire.now_ns;
}

static void taken(void *ctx, const uint8_t *bytes, size_t count)
{
	assert_ptr_equal(ctx, &wire);
	memcpy(wire.taken, bytes, count);
	wire.taken_bytes = count;
	wire.takens++;
}

static struct net_setup basic(void)
{
	struct net_setup s = {
		.nic = &wire.nic,
		.memory = memory,
		.random = 7,
		.clock_ns = clock_ns,
		.peer = ipaddr_v4(peer_ip),
		.peer_port = PORT,
		.taken = taken,
		.ctx = &wire,
	};

	return s;
}

static void set_up(void)
{
	uint64_t now = wire.now_ns;

	memset(&wire, 0, sizeof(wire));
	wire.nic = (struct nic){ .link = card_link, .send = card_send, .receive = card_receive };
	memcpy(wire.nic.mac, our_mac, sizeof(our_mac));
	wire.link = true;
	wire.now_ns = now + 1000 * MS;
}

static const char *address(void)
{
	static char buffer[200];
	struct text t;

	text_init(&t, buffer, sizeof(buffer));
	net_print_address(&t);
	return buffer;
}

static void open_static(void)
{
	struct net_setup s = basic();

	assert_true(ipaddr_parse_setup(&s.ip, "10.1.1.9/24,10.1.1.254", 22));
	assert_true(net_open(&s));
}

/* Let time pass, in steps that are small enough for timers. */
static void pass(unsigned ms)
{
	for (unsigned i = 0; i < ms; i += 10) {
		wire.now_ns += 10 * MS;
		net_work();
	}
}

static void come(const uint8_t *frame, size_t bytes)
{
	struct frame *f = &wire.to_come[wire.coming++];

	assert_in_range(wire.coming, 1, FRAMES);
	f->bytes = bytes;
	memcpy(f->byte, frame, bytes);
}

static void arp_comes(unsigned operation, unsigned vlan)
{
	uint8_t f[64] = { 0 }, *at = frames_ether(f, vlan, 0x0806);

	frames_arp(at, operation);
	come(f, 60);
}

static void ip4_comes(unsigned protocol, const uint8_t *payload, size_t bytes)
{
	uint8_t f[NIC_FRAME_MAX] = { 0 }, *ip = frames_ether(f, 0, 0x0800);

	memcpy(ip + IP4, payload, bytes);
	come(f, (size_t)(frames_ip4(ip, protocol, bytes) - f));
}

static void udp_comes(unsigned from, unsigned to, const char *text)
{
	uint8_t d[256] = { 0 };

	frames_udp(d, from, to, strlen(text));
	memcpy(d + UDP, text, strlen(text));
	ip4_comes(17, d, UDP + strlen(text));
}

/* The last frame of this type that was sent; NULL: there is none. */
static const uint8_t *sent_frame(unsigned type)
{
	for (unsigned i = wire.sents; i-- > 0;)
		if (bytes_be16(wire.sent[i].byte + 12) == type)
			return wire.sent[i].byte;
	return NULL;
}

static bool send_text(const char *text)
{
	return net_send((const uint8_t *)text, strlen(text));
}

/* Make the peer's card known, and send a datagram. Returns its IPv4 header. */
static const uint8_t *send_known(const char *text)
{
	assert_true(send_text(text));
	arp_comes(2, 0);
	net_work();
	assert_true(send_text(text));
	assert_non_null(sent_frame(0x0800));
	return sent_frame(0x0800) + ETHER;
}

TEST_F(set_up, net_close, test_datagram)
{
	static const char text[] = "a line of a record";
	const uint8_t *ip, *udp, *arp;
	uint8_t pseudo[4] = { 0, 17, 0, 0 };
	uint32_t s;

	open_static();
	ip = send_known(text);
	/* An ARP request for the peer's address was sent first. */
	arp = sent_frame(0x0806);
	assert_memory_equal(arp, "\xff\xff\xff\xff\xff\xff", 6);
	assert_int_equal(bytes_be16(arp + ETHER + 6), 1);
	assert_memory_equal(arp + ETHER + 14, our_ip, 4);
	assert_memory_equal(arp + ETHER + 24, peer_ip, 4);
	udp = ip + IP4;
	assert_int_equal(frames_folded(frames_sum(ip, IP4, 0)), 0xffff);
	assert_memory_equal(ip + 12, our_ip, 4);
	assert_memory_equal(ip + 16, peer_ip, 4);
	assert_int_equal(bytes_be16(udp + 2), PORT);
	assert_int_equal(bytes_be16(udp + 4), UDP + strlen(text));
	assert_memory_equal(udp + UDP, text, strlen(text));
	bytes_put_be16(pseudo + 2, (unsigned)(UDP + strlen(text)));
	s = frames_sum(ip + 12, 8, 0);
	s = frames_sum(pseudo, 4, s);
	s = frames_sum(udp, UDP + strlen(text), s);
	assert_int_equal(frames_folded(s), 0xffff);
}

TEST_F(set_up, net_close, test_answer_of_the_peer)
{
	unsigned port;

	open_static();
	port = bytes_be16(send_known("x") + IP4);
	udp_comes(PORT, port, "acknowledged");
	net_work();
	assert_int_equal(wire.takens, 1);
	assert_int_equal(wire.taken_bytes, 12);
	assert_memory_equal(wire.taken, "acknowledged", 12);
	/* Datagrams from another port of the peer, and to another port of ours. */
	udp_comes(PORT + 1, port, "other");
	udp_comes(PORT, port + 1, "other");
	net_work();
	assert_int_equal(wire.takens, 1);
}

TEST_F(set_up, net_close, test_ping_is_answered)
{
	uint8_t echo[] = { 8, 0, 0, 0, 0, 1, 0, 1, 'n', 'f' };
	const uint8_t *ip;

	open_static();
	arp_comes(1, 0);
	bytes_put_be16(echo + 2, (uint16_t)~frames_folded(frames_sum(echo, sizeof(echo), 0)));
	ip4_comes(1, echo, sizeof(echo));
	net_work();
	ip = sent_frame(0x0800) + ETHER;
	assert_int_equal(ip[9], 1);
	assert_int_equal(ip[IP4], 0);
	assert_memory_equal(ip + IP4 + 8, "nf", 2);
}

TEST_F(set_up, net_close, test_vlan)
{
	struct net_setup s = basic();
	const uint8_t *frame;

	s.vlan = VLAN_ID;
	assert_true(ipaddr_parse_setup(&s.ip, "10.1.1.9/24", 11));
	assert_true(net_open(&s));
	assert_true(send_text("x"));
	assert_null(sent_frame(0x0806));
	frame = sent_frame(0x8100);
	assert_int_equal(bytes_be16(frame + 14), VLAN_ID);
	assert_int_equal(bytes_be16(frame + 16), 0x0806);
	/* Answers without the tag, or with another tag, are ignored. */
	arp_comes(2, 0);
	arp_comes(2, VLAN_ID + 1);
	net_work();
	frame = sent_frame(0x8100);
	assert_int_not_equal(bytes_be16(frame + 16), 0x0800);
	arp_comes(2, VLAN_ID);
	net_work();
	frame = sent_frame(0x8100);
	assert_int_equal(bytes_be16(frame + 16), 0x0800);
}

TEST_F(set_up, net_close, test_tags_of_others_are_not_heard)
{
	open_static();
	assert_true(send_text("x"));
	arp_comes(2, VLAN_ID);
	net_work();
	assert_null(sent_frame(0x0800));
}

/* DHCP */

/* Let a DHCP answer of this kind to the last message come. */
static void dhcp_comes(unsigned kind)
{
	static const uint8_t options[] = { 51,  4, 0, 0, 14, 16, 1, 4, 255, 255,
					   255, 0, 3, 4, 10, 1,  1, 1, 255 };
	const uint8_t *asked = sent_frame(0x0800) + ETHER + IP4 + UDP;
	uint8_t d[UDP + BOOTP + 64] = { 0 }, *end = frames_dhcp(d + UDP, asked + 4, kind);

	memcpy(end, options, sizeof(options));
	frames_udp(d, 67, 68, (size_t)(end - d) + sizeof(options) - UDP);
	ip4_comes(17, d, (size_t)(end - d) + sizeof(options));
}

static unsigned dhcp_kind(void)
{
	const uint8_t *frame = sent_frame(0x0800);

	return frame ? frame[ETHER + IP4 + UDP + 240 + 2] : 0;
}

static void open_dhcp(void)
{
	struct net_setup s = basic();

	assert_true(net_open(&s));
}

TEST_F(set_up, net_close, test_dhcp)
{
	open_dhcp();
	pass(1000);
	assert_false(net_ready());
	assert_false(send_text("x"));
	assert_int_equal(dhcp_kind(), 1);
	dhcp_comes(2);
	pass(50);
	assert_int_equal(dhcp_kind(), 3);
	dhcp_comes(5);
	pass(3000);
	assert_true(net_ready());
	assert_memory_equal(address(), "10.1.1.9/24", 11);
	/* At the end the address is released: the server's card is known. */
	arp_comes(1, 0);
	pass(10);
	net_close();
	assert_int_equal(dhcp_kind(), 7);
}

TEST_F(set_up, net_close, test_dhcp_address_that_is_taken)
{
	open_dhcp();
	pass(1000);
	dhcp_comes(2);
	pass(50);
	dhcp_comes(5);
	pass(100);
	assert_false(net_ready());
	/* Another host claims the address. */
	arp_comes(2, 0);
	memcpy(wire.to_come[wire.coming - 1].byte + ETHER + 14, our_ip, 4);
	net_work();
	assert_false(net_ready());
	assert_int_equal(dhcp_kind(), 4);
}

TEST_F(set_up, net_close, test_dhcp_silence)
{
	open_dhcp();
	for (unsigned i = 0; i < 60; i++) {
		pass(1000);
		wire.sents = 0;
	}
	assert_false(net_ready());
}

/* IPv6 */

TEST_F(set_up, net_close, test_ipv6_needs_an_address)
{
	struct net_setup s = basic();

	assert_true(ipaddr_parse(&s.peer, "fd00::1", 7));
	assert_true(ipaddr_parse_setup(&s.ip, "fd00::9/64", 10));
	assert_true(net_open(&s));
	assert_false(net_ready());
	pass(4000);
	/* No other host has the address. */
	assert_true(net_ready());
	assert_non_null(strstr(address(), "fd00::9"));
	wire.sents = 0;
	assert_true(send_text("x"));
	assert_non_null(sent_frame(0x86dd));
}

TEST_F(set_up, net_close, test_ipv6_gateway)
{
	static const uint8_t wanted[] = { 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0xfe };
	struct net_setup s = basic();
	const uint8_t *ip;

	assert_true(ipaddr_parse(&s.peer, "2001:db8::1", 11));
	assert_true(ipaddr_parse_setup(&s.ip, "fd00::9/64,fd00::fe", 19));
	assert_true(net_open(&s));
	pass(4000);
	wire.sents = 0;
	assert_true(send_text("x"));
	ip = sent_frame(0x86dd) + ETHER;
	/* The gateway's card is looked for at its solicited-node group. */
	assert_int_equal(ip[IP6], 135);
	assert_memory_equal(ip + 24, wanted, sizeof(wanted));
}

/* The card */

TEST_F(set_up, net_close, test_link)
{
	open_static();
	assert_true(net_ready());
	wire.link = false;
	pass(300);
	assert_false(net_ready());
	assert_false(send_text("x"));
	wire.link = true;
	pass(300);
	assert_true(net_ready());
}

TEST_F(set_up, net_close, test_card_without_room)
{
	open_static();
	send_known("x");
	wire.full = true;
	assert_false(send_text("x"));
	wire.full = false;
	assert_true(send_text("x"));
}

TEST_F(set_up, net_close, test_problem_of_the_card)
{
	open_static();
	assert_null(net_problem());
	strcpy(wire.nic.problem, "it is on fire");
	assert_string_equal(net_problem(), "it is on fire");
}

TEST_F(set_up, net_close, test_damage_without_end)
{
	open_static();
	wire.is_damaged = true;
	net_work();
	assert_in_range(wire.looks, 2, 64);
	assert_null(net_problem());
}

TEST_F(set_up, net_close, test_frames_that_are_none)
{
	static const uint8_t frame[64] = { 0 };

	open_static();
	for (size_t bytes = 1; bytes < 40; bytes++)
		come(frame, bytes);
	net_work();
	assert_int_equal(wire.came, 39);
	assert_true(net_ready());
}
