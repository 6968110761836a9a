/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware got from a DHCP server. */
#pragma once

#include "core/lib/ipaddr.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/* The address that the machine got to boot from the network; what is not known is IPADDR_NONE. */
struct served_lease {
	struct ipaddr address, mask, gateway;
	struct ipaddr server; /* of the boot file */
	struct maybe lease_s;
	bool has_mac;
	uint8_t mac[MACADDR_BYTES];
};
