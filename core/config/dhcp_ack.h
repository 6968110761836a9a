/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DHCPv4 server's answer as a packet in memory, treated as hostile input. Sources: RFC 2131,
 * figure 1; RFC 2132, by option; RFC 4578 for their use in PXE.
 */
#pragma once

#include "core/lib/ipaddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_FILE_MAX 255 /* the longest option */

/* Missing or invalid options are absent: IPADDR_NONE, "". */
struct dhcp_ack {
	struct ipaddr address; /* yiaddr: ours */
	struct ipaddr server;  /* boot file's server: siaddr, else option 66 as address, else 54 */
	bool has_mac;
	uint8_t mac[MACADDR_BYTES];   /* chaddr */
	char file[DHCP_FILE_MAX + 1]; /* option 67, else the field; printable ASCII */
};

/*
 * Read a packet of `bytes` bytes, which may be truncated. Of duplicate options the first is used;
 * options after a malformed one are ignored. Returns false, with all of *a absent, if it is not an
 * answer of a DHCP or BOOTP server.
 */
bool dhcp_ack_read(struct dhcp_ack *a, const uint8_t *packet, size_t bytes);

/* Take server and boot file from a later answer (of a proxy, of a boot server), if it has any. */
void dhcp_ack_boot(struct dhcp_ack *a, const struct dhcp_ack *later);
