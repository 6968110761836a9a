/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names under which a configuration is requested from the server of the image. In the folder of
 * the boot file, the most specific first; the first that exists is used:
 *
 *   noisefloor/<SMBIOS UUID>.conf            noisefloor/4c4c4544-0042-....conf
 *   noisefloor/01-<MAC address>.conf         noisefloor/01-52-54-00-12-34-56.conf
 *   noisefloor/<SMBIOS board product>.conf   noisefloor/X11DPH-T.conf
 *   noisefloor.conf
 *
 * In the board's name everything but letters, digits, '.', '-' and '_' becomes '_', and so does a
 * leading '.': whatever the firmware reports, the name stays in its folder. Hex digits are in lower
 * case.
 */
#pragma once

#include "dhcp_ack.h"
#include "core/lib/ipaddr.h"
#include "core/firmware/smbios.h"

#include <stdint.h>

#define CONFIG_NAMES    4
#define CONFIG_NAME_MAX (DHCP_FILE_MAX + 80)

struct config_names {
	unsigned count;
	char name[CONFIG_NAMES][CONFIG_NAME_MAX + 1];
};

/*
 * boot_file: as the server gave it, printable ASCII; a URL has no folder. An argument that is "" or
 * NULL gives no name.
 */
void config_names(struct config_names *names, const char *boot_file,
		  const struct smbios_info *smbios, const uint8_t mac[MACADDR_BYTES]);
