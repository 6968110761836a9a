/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of configuration files on a server. */
#include "config_names.h"

/*
 * The boot file's folder, with its final separator: some servers use backslashes. A URL has none.
 */
static size_t folder_bytes(const char *file)
{
	size_t bytes = 0;

	for (size_t i = 0; file[i]; i++) {
		if (file[i] == ':' && file[i + 1] == '/' && file[i + 2] == '/')
			return 0;
		if (file[i] == '/' || file[i] == '\\')
			bytes = i + 1;
	}
	return bytes;
}

/* Add a name in the folder of configurations, none for ""; NULL: the folder's own name. */
static void add_name(struct config_names *names, const char *boot_file, const char *s)
{
	struct text name;

	if (s && !s[0])
		return;
	text_init(&name, names->name[names->count++], sizeof(names->name[0]));
	text_bytes(&name, boot_file, folder_bytes(boot_file));
	text_add(&name, s ? "noisefloor/" : "noisefloor");
	if (s)
		text_file_name(&name, s, SIZE_MAX);
	text_add(&name, ".conf");
}

void config_names(struct config_names *names, const char *boot_file,
		  const struct smbios_info *smbios, const uint8_t mac[MACADDR_BYTES])
{
	TEXT_DEFINE(card, sizeof("01-") + MACADDR_TEXT);

	names->count = 0;
	if (mac) {
		/* 01 is Ethernet, as in ARP: PXELINUX's convention. */
		text_add(&card, "01-");
		ipaddr_print_mac(mac, '-', &card);
	}
	add_name(names, boot_file, smbios->uuid);
	add_name(names, boot_file, card.buf);
	add_name(names, boot_file, smbios->board);
	add_name(names, boot_file, NULL);
}
