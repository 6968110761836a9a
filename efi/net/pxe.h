/* SPDX-License-Identifier: BSD-2-Clause */
/* What the firmware's PXE code knows and can fetch, where it has loaded the image. */
#pragma once

#include "core/lib/ipaddr.h"
#include "core/lib/value.h"

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

struct options;

/* What the DHCP server gave to the firmware's PXE code; what it did not give is IPADDR_NONE. */
struct pxe_lease {
	bool known; /* the image was booted over PXE, by IPv4 */
	struct ipaddr address, mask, gateway;
	struct ipaddr server; /* of the boot file */
	struct maybe lease_s, renew_s;
	bool has_mac;
	uint8_t mac[MACADDR_BYTES];
};

/*
 * When the image came through PXE on this device: keep the lease, ask the boot
 * server for a configuration by the names of core/config/config_names.h, and apply the first that
 * is there. What was asked is reported; mistakes, and a file that breaks off, are counted in
 * o->mistakes. No more than PXE_SECONDS pass, and one time-out of the firmware's own.
 */
void pxe_read(struct options *o, EFI_HANDLE device);

#define PXE_SECONDS 10
