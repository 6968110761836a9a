/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Under which names a configuration is asked for on the server that the image came from. In
 * the folder of the boot file, the most specific first, and the first that is there is taken:
 *
 *   noisefloor/<SMBIOS UUID>.conf            noisefloor/4c4c4544-0042-....conf
 *   noisefloor/01-<MAC address>.conf         noisefloor/01-52-54-00-12-34-56.conf
 *   noisefloor/<SMBIOS board product>.conf   noisefloor/X11DPH-T.conf
 *   noisefloor.conf
 *
 * In the board's name everything but letters, digits, '.', '-' and '_' becomes '_', and so
 * does a '.' in front: whatever firmware says, the name stays in its folder. Hex digits are
 * in lower case.
 */
#ifndef CORE_CONFIG_NAMES_H
#define CORE_CONFIG_NAMES_H

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
 * boot_file: as the server gave it, printable ASCII; what is no path but a URL has no folder.
 * Of what is not known, "" or NULL, there is no name.
 */
void config_names(struct config_names *names, const char *boot_file,
		  const struct smbios_info *smbios, const uint8_t mac[MACADDR_BYTES]);

#endif
