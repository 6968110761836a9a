/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's DHCP lease. */
#pragma once

#include "core/lib/ipaddr.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/* The lease with which the machine booted from the network. Unknown addresses are IPADDR_NONE. */
struct served_lease {
	struct ipaddr address, mask, gateway;
	struct ipaddr server; /* has the boot file */
	struct maybe lease_s;
	bool has_mac;
	uint8_t mac[MACADDR_BYTES];
};
