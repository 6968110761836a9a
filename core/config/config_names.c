/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of configuration files on a server. */
#include "config_names.h"

static bool is_url(const char *file)
{
	for (; *file; file++)
		if (file[0] == ':' && file[1] == '/' && file[2] == '/')
			return true;
	return false;
}

/* The boot file's folder, with its final separator: some servers use backslashes. */
static size_t folder_bytes(const char *file)
{
	size_t bytes = 0;

	if (is_url(file))
		return 0;
	for (size_t i = 0; file[i]; i++)
		if (file[i] == '/' || file[i] == '\\')
			bytes = i + 1;
	return bytes;
}

static struct text config_names_start(struct config_names *names, const char *boot_file)
{
	struct text name;

	text_init(&name, names->name[names->count++], sizeof(names->name[0]));
	text_bytes(&name, boot_file, folder_bytes(boot_file));
	return name;
}

/* Add a name in the folder of configurations; none for "". */
static void add_name(struct config_names *names, const char *boot_file, const char *s)
{
	struct text name;

	if (!s[0])
		return;
	name = config_names_start(names, boot_file);
	text_add(&name, "noisefloor/");
	text_file_name(&name, s, SIZE_MAX);
	text_add(&name, ".conf");
}

void config_names(struct config_names *names, const char *boot_file,
		  const struct smbios_info *smbios, const uint8_t mac[MACADDR_BYTES])
{
	TEXT_DEFINE(card, sizeof("01-") + MACADDR_TEXT);
	struct text name;

	names->count = 0;
	if (mac) {
		/* 01 is Ethernet, as in ARP: PXELINUX's convention. */
		text_add(&card, "01-");
		ipaddr_print_mac(mac, '-', &card);
	}
	add_name(names, boot_file, smbios->uuid);
	add_name(names, boot_file, card.buf);
	add_name(names, boot_file, smbios->board);
	name = config_names_start(names, boot_file);
	text_add(&name, "noisefloor.conf");
}
