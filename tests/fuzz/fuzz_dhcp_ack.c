/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What DHCP servers and firmware send on the way to a configuration. The first byte is the
 * length of a board's name; that name, and then a DHCP packet.
 */
#include "core/config/config_names.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_address(const struct ipaddr *a)
{
	if (a->family != IPADDR_NONE && (a->family != IPADDR_V4 || ipaddr_is_unspecified(a)))
		abort();
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* In the boot file's folder, or in ours below it. */
static void check_name(const char *name, const char *file)
{
	size_t folder = 0;

	input_assert_showable(name, CONFIG_NAME_MAX + 1);
	while (!strstr(file, "://") && name[folder] && name[folder] == file[folder])
		folder++;
	while (folder && !is_separator(name[folder - 1]))
		folder--;
	name += folder;
	if (strcmp(name, "noisefloor.conf") == 0)
		return;
	if (strncmp(name, "noisefloor/", 11) != 0)
		abort();
	name += 11;
	if (name[0] == '.' || strpbrk(name, "/\\ %") || strlen(name) < 6 ||
	    strcmp(name + strlen(name) - 5, ".conf") != 0)
		abort();
}

static void check_names(const struct dhcp_ack *a, const uint8_t *board, size_t bytes)
{
	struct smbios_info smbios = { .uuid = "00112233-4455-6677-8899-aabbccddeeff" };
	struct config_names names;

	if (bytes > SMBIOS_STRING_MAX)
		bytes = SMBIOS_STRING_MAX;
	memcpy(smbios.board, board, bytes);
	config_names(&names, a->file, &smbios, a->has_mac ? a->mac : NULL);
	if (names.count != 2u + a->has_mac + (smbios.board[0] != '\0'))
		abort();
	for (unsigned i = 0; i < names.count; i++)
		check_name(names.name[i], a->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct dhcp_ack none;
	struct dhcp_ack a, later;
	size_t board, count;
	uint8_t *packet;

	if (bytes == 0)
		return 0;
	board = data[0] < bytes ? data[0] : bytes - 1;
	count = bytes - 1 - board;
	/* Of its exact size, so that a read past it is seen. */
	packet = malloc(count + !count);
	if (!packet)
		abort();
	memcpy(packet, data + 1 + board, count);
	if (!dhcp_ack_read(&a, packet, count) && memcmp(&a, &none, sizeof(a)) != 0)
		abort();
	free(packet);
	check_address(&a.address);
	check_address(&a.mask);
	check_address(&a.gateway);
	check_address(&a.server);
	input_assert_showable(a.file, sizeof(a.file));
	check_names(&a, data + 1, board);
	memset(&later, 0, sizeof(later));
	dhcp_ack_boot(&later, &a);
	if ((later.server.family != IPADDR_NONE) != (later.file[0] != '\0'))
		abort();
	return 0;
}
