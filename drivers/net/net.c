/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP between a card and a peer. */
#include "net.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/splitmix.h"
#include "drivers/nic/nic.h"

#include <lwip/dhcp.h>
#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/init.h>
#include <lwip/nd6.h>
#include <lwip/sys.h>
#include <lwip/timeouts.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>

#define FRAMES_AT_ONCE 48
#define MTU            1500
#define LINK_LOOK_MS   200
#define ETHER_TYPE_AT  12
#define ETHER_VLAN     0x8100
#define VLAN_ID_MASK   0x0fff

static struct {
	struct net_setup setup;
	struct netif netif;
	struct udp_pcb *pcb;
	ip_addr_t peer, gateway;
	uint64_t random;
	uint32_t link_looked; /* ms */
	bool initialized;     /* lwIP is, once and for all */
	bool running;
	const char *broken; /* lwIP's own failed assertion */
	char check[64];
	void *way_out[5];
} net;

unsigned char *net_heap;

/* Functions that lwIP calls */

u32_t sys_now(void)
{
	return (u32_t)(net.setup.clock_ns(net.setup.ctx) / 1000000);
}

uint32_t net_random(void)
{
	return (uint32_t)splitmix_next(&net.random);
}

int32_t net_vlan(void)
{
	return net.setup.vlan ? net.setup.vlan : -1;
}

void net_broken(const char *file, unsigned line)
{
	text_print(net.check, sizeof(net.check), "lwIP's check in %s:%u failed", file, line);
	net.broken = net.check;
	net.running = false;
	__builtin_longjmp(net.way_out, 1);
}

/*
 * Make a call into lwIP. If one of its own checks fails, it is abandoned for good, and this returns
 * false.
 */
static __attribute__((noinline)) bool in_stack(void (*work)(void *), void *ctx)
{
	if (__builtin_setjmp(net.way_out))
		return false;
	work(ctx);
	return true;
}

/* Frames */

static err_t put_frame(struct netif *netif, struct pbuf *p)
{
	uint8_t frame[NIC_FRAME_MAX];

	(void)netif;
	if (p->tot_len > sizeof(frame))
		return ERR_VAL;
	pbuf_copy_partial(p, frame, p->tot_len, 0);
	if (!net.setup.nic->send(net.setup.nic, frame, p->tot_len))
		return ERR_IF;
	return ERR_OK;
}

/* True if the frame is for us: it has no tag, tag 0 (which is only a priority), or our own. */
static bool is_ours(const uint8_t *frame, size_t bytes)
{
	uint16_t id = 0;

	if (bytes < SIZEOF_ETH_HDR)
		return false;
	if (bytes_be16(frame + ETHER_TYPE_AT) == ETHER_VLAN) {
		if (bytes < SIZEOF_ETH_HDR + SIZEOF_VLAN_HDR)
			return false;
		id = bytes_be16(frame + ETHER_TYPE_AT + 2) & VLAN_ID_MASK;
	}
	return id == net.setup.vlan;
}

static void take_frame(const uint8_t *frame, size_t bytes)
{
	struct pbuf *p;

	if (!is_ours(frame, bytes))
		return;
	p = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);
	if (!p)
		return;
	pbuf_take(p, frame, (u16_t)bytes);
	if (net.netif.input(p, &net.netif) != ERR_OK)
		pbuf_free(p);
}

static err_t begin_netif(struct netif *netif)
{
	netif->name[0] = 'n';
	netif->name[1] = 'f';
	netif->hostname = "noisefloor";
	netif->output = etharp_output;
	netif->output_ip6 = ethip6_output;
	netif->linkoutput = put_frame;
	netif->mtu = MTU;
	netif->hwaddr_len = NIC_MAC_BYTES;
	memcpy(netif->hwaddr, net.setup.nic->mac, NIC_MAC_BYTES);
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET |
		       NETIF_FLAG_MLD6;
	return ERR_OK;
}

/* Addresses */

static ip_addr_t to_lwip(const struct ipaddr *a)
{
	ip_addr_t to = *IP4_ADDR_ANY;

	if (a->family == IPADDR_V6) {
		uint32_t word[4];

		memcpy(word, a->bytes, sizeof(word));
		IP_ADDR6(&to, word[0], word[1], word[2], word[3]);
	} else if (a->family == IPADDR_V4) {
		IP_ADDR4(&to, a->bytes[0], a->bytes[1], a->bytes[2], a->bytes[3]);
	}
	return to;
}

static bool is_set(enum ipaddr_family family)
{
	return net.setup.ip.address.family == family;
}

static void begin_ipv4(void)
{
	ip_addr_t address = to_lwip(&net.setup.ip.address);
	unsigned prefix = net.setup.ip.prefix;
	ip4_addr_t mask;

	if (!is_set(IPADDR_V4)) {
		dhcp_start(&net.netif);
		return;
	}
	ip4_addr_set_u32(&mask, lwip_htonl(prefix ? UINT32_MAX << (32 - prefix) : 0));
	netif_set_addr(&net.netif, ip_2_ip4(&address), &mask, ip_2_ip4(&net.gateway));
}

static void begin_ipv6(void)
{
	ip_addr_t address = to_lwip(&net.setup.ip.address);

	netif_create_ip6_linklocal_address(&net.netif, 1);
	net.netif.ip6_autoconfig_enabled = 1;
	if (!is_set(IPADDR_V6))
		return;
	netif_ip6_addr_set(&net.netif, 1, ip_2_ip6(&address));
	netif_ip6_addr_set_state(&net.netif, 1, IP6_ADDR_TENTATIVE);
}

const void *net_next_hop(const void *to)
{
	const struct ipaddr_setup *ip = &net.setup.ip;

	(void)to;
	if (!is_set(IPADDR_V6) || ip->gateway.family != IPADDR_V6)
		return NULL;
	return ip_2_ip6(&net.gateway);
}

static void take_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
			  u16_t port)
{
	uint8_t bytes[NIC_FRAME_MAX];
	u16_t count = pbuf_copy_partial(p, bytes, sizeof(bytes), 0);

	(void)arg;
	(void)pcb;
	(void)from;
	(void)port;
	pbuf_free(p);
	net.setup.taken(net.setup.ctx, bytes, count);
}

static bool open_peer(void)
{
	net.peer = to_lwip(&net.setup.peer);
	net.gateway = to_lwip(&net.setup.ip.gateway);
	net.pcb = udp_new_ip_type(IP_GET_TYPE(&net.peer));
	if (!net.pcb || udp_bind(net.pcb, IP_ANY_TYPE, 0) != ERR_OK ||
	    udp_connect(net.pcb, &net.peer, net.setup.peer_port) != ERR_OK)
		return false;
	udp_recv(net.pcb, take_datagram, NULL);
	return true;
}

static void net_begin(void *ctx)
{
	(void)ctx;
	if (!net.initialized)
		lwip_init();
	net.initialized = true;
	memset(&net.netif, 0, sizeof(net.netif));
	if (!netif_add_noaddr(&net.netif, NULL, begin_netif, ethernet_input) || !open_peer()) {
		net.broken = "out of memory at the start";
		return;
	}
	netif_set_default(&net.netif);
	netif_set_up(&net.netif);
	if (net.setup.nic->link(net.setup.nic))
		netif_set_link_up(&net.netif);
	begin_ipv6();
	begin_ipv4();
	net.running = true;
}

bool net_open(const struct net_setup *s)
{
	net.setup = *s;
	net.random = s->random;
	net.running = false;
	if (net.broken)
		return false;
	net_heap = s->memory;
	in_stack(net_begin, NULL);
	return net.running;
}

static void net_end(void *ctx)
{
	(void)ctx;
	dhcp_release_and_stop(&net.netif);
	dhcp_cleanup(&net.netif);
	udp_remove(net.pcb);
	netif_remove(&net.netif);
}

void net_close(void)
{
	if (net.running)
		in_stack(net_end, NULL);
	net.running = false;
	net.setup.nic = NULL;
}

/* Service */

static void look_at_link(void)
{
	uint32_t now = sys_now();

	if (now - net.link_looked < LINK_LOOK_MS)
		return;
	net.link_looked = now;
	/* Both do nothing if that is known. */
	if (net.setup.nic->link(net.setup.nic))
		netif_set_link_up(&net.netif);
	else
		netif_set_link_down(&net.netif);
}

static void net_do_work(void *ctx)
{
	uint8_t frame[NIC_FRAME_MAX];
	size_t bytes;

	(void)ctx;
	look_at_link();
	for (unsigned i = 0; i < FRAMES_AT_ONCE; i++) {
		if (!net.setup.nic->receive(net.setup.nic, frame, &bytes))
			break;
		take_frame(frame, bytes);
	}
	sys_check_timeouts();
}

void net_work(void)
{
	if (net.running)
		in_stack(net_do_work, NULL);
}

struct outgoing {
	const uint8_t *bytes;
	size_t count;
	bool gone;
};

static void net_do_send(void *ctx)
{
	struct outgoing *o = ctx;
	struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)o->count, PBUF_RAM);

	if (!p)
		return;
	pbuf_take(p, o->bytes, (u16_t)o->count);
	o->gone = udp_send(net.pcb, p) == ERR_OK;
	pbuf_free(p);
}

bool net_send(const uint8_t *bytes, size_t count)
{
	struct outgoing o = { bytes, count, false };

	if (!net.running || count > MTU)
		return false;
	in_stack(net_do_send, &o);
	return o.gone;
}

/* The state */

static bool has_ipv6(bool only_link_local)
{
	for (unsigned i = only_link_local ? 0 : 1; i < LWIP_IPV6_NUM_ADDRESSES; i++)
		if (ip6_addr_ispreferred(netif_ip6_addr_state(&net.netif, (s8_t)i)))
			return true;
	return false;
}

bool net_ready(void)
{
	if (!net.running || !netif_is_link_up(&net.netif))
		return false;
	if (IP_IS_V6(&net.peer))
		return has_ipv6(ip6_addr_islinklocal(ip_2_ip6(&net.peer)));
	return !ip4_addr_isany(netif_ip4_addr(&net.netif));
}

const char *net_problem(void)
{
	if (net.broken)
		return net.broken;
	return net.setup.nic && net.setup.nic->problem[0] ? net.setup.nic->problem : NULL;
}

void net_print_address(struct text *out)
{
	uint32_t mask = lwip_ntohl(ip4_addr_get_u32(netif_ip4_netmask(&net.netif)));
	bool any = false;

	if (!net.running)
		return;
	if (!ip4_addr_isany(netif_ip4_addr(&net.netif))) {
		struct ipaddr_setup a = {
			.address = ipaddr_v4((const uint8_t *)netif_ip4_addr(&net.netif)),
			.prefix = (uint8_t)(mask ? 32 - __builtin_ctz(mask) : 0),
		};

		ipaddr_print_setup(&a, out);
		any = true;
	}
	for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
		struct ipaddr a = { .family = IPADDR_V6 };

		if (!ip6_addr_ispreferred(netif_ip6_addr_state(&net.netif, i)))
			continue;
		memcpy(a.bytes, netif_ip6_addr(&net.netif, i)->addr, sizeof(a.bytes));
		text_add(out, any ? ", " : "");
		ipaddr_print(&a, out);
		any = true;
	}
	if (!any)
		text_add(out, "no address");
}
