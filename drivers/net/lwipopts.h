/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration of lwIP: no system, raw calls, UDP over IPv4 and IPv6 on one card, and all its
 * memory from one block that net.c is given.
 */
#pragma once

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET          0
#define LWIP_NETCONN         0
#define LWIP_TIMERS          1

#define LWIP_IPV4               1
#define LWIP_IPV6               1
#define LWIP_ARP                1
#define LWIP_ICMP               1
#define LWIP_ICMP6              1
#define LWIP_DHCP               1
#define LWIP_IPV6_MLD           1
#define LWIP_IPV6_AUTOCONFIG    1
#define LWIP_IPV6_DHCP6         0
#define LWIP_UDP                1
#define LWIP_TCP                0
#define LWIP_RAW                0
#define LWIP_DNS                0
#define LWIP_STATS              0
#define LWIP_SINGLE_NETIF       1
#define LWIP_NETIF_HOSTNAME     1
#define LWIP_DHCP_CHECK_LINK_UP 1

/* Each record line fits into a datagram, and we receive nothing longer. */
#define IP_REASSEMBLY   0
#define IP_FRAG         0
#define LWIP_IPV6_FRAG  0
#define LWIP_IPV6_REASS 0

/* net.c checks the tag of incoming frames. */
#define ETHARP_SUPPORT_VLAN                          1
#define LWIP_HOOK_VLAN_SET(netif, p, src, dst, type) net_vlan()
#define LWIP_HOOK_ND6_GET_GW(netif, to)              net_next_hop(to)

/* We send to one peer; other hosts ask for our address now and then. */
#define LWIP_ND6_NUM_NEIGHBORS    6
#define LWIP_ND6_NUM_DESTINATIONS 4
#define ARP_TABLE_SIZE            6

#define MEM_LIBC_MALLOC       0
#define MEMP_MEM_MALLOC       1
#define MEM_ALIGNMENT         8
#define MEM_SIZE              (64 * 1024)
#define LWIP_RAM_HEAP_POINTER net_heap
#define PBUF_POOL_BUFSIZE     1600
#define ETH_PAD_SIZE          0
