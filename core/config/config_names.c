/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of configuration files on a server. */
#include "config_names.h"

#define FOLDER "noisefloor/"

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

static void add_plain(struct config_names *names, const char *boot_file, const char *s)
{
	struct text name;

	if (!s[0])
		return;
	name = config_names_start(names, boot_file);
	text_add(&name, FOLDER);
	text_file_name(&name, s, SIZE_MAX);
	text_add(&name, ".conf");
}

static void add_mac(struct config_names *names, const char *boot_file, const uint8_t *mac)
{
	struct text name;

	if (!mac)
		return;
	name = config_names_start(names, boot_file);
	/* 01 is Ethernet, as in ARP: PXELINUX's convention. */
	text_add(&name, FOLDER "01-");
	ipaddr_print_mac(mac, '-', &name);
	text_add(&name, ".conf");
}

void config_names(struct config_names *names, const char *boot_file,
		  const struct smbios_info *smbios, const uint8_t mac[MACADDR_BYTES])
{
	struct text name;

	names->count = 0;
	add_plain(names, boot_file, smbios->uuid);
	add_mac(names, boot_file, mac);
	add_plain(names, boot_file, smbios->board);
	name = config_names_start(names, boot_file);
	text_add(&name, "noisefloor.conf");
}
