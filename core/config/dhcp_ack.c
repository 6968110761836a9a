/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed part of a DHCP packet, and its options. */
#include "dhcp_ack.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

/* RFC 2131, figure 1. */
enum {
	AT_OP = 0,
	AT_HTYPE = 1,
	AT_HLEN = 2,
	AT_YIADDR = 16,
	AT_SIADDR = 20,
	AT_CHADDR = 28,
	AT_FILE = 108,
	AT_MAGIC = 236,
	AT_OPTIONS = 240,
};

#define OP_REPLY   2
#define ETHERNET   1
#define FILE_BYTES (AT_MAGIC - AT_FILE)

/* RFC 2132, with sections. */
enum {
	OPTION_PAD = 0,     /* 3.1 */
	OPTION_SERVER = 54, /* 9.7 */
	OPTION_TFTP = 66,   /* 9.4 */
	OPTION_FILE = 67,   /* 9.5 */
	OPTION_END = 255,   /* 3.2 */
};

/* The first option of at least so many bytes in a packet up to `end`. NULL: there is none. */
static const uint8_t *find_option(const uint8_t *packet, const uint8_t *end, uint8_t code,
				  size_t least, size_t *bytes)
{
	static const uint8_t magic[] = { 0x63, 0x82, 0x53, 0x63 };
	const uint8_t *at;

	if (end - packet < AT_OPTIONS || memcmp(packet + AT_MAGIC, magic, sizeof(magic)) != 0)
		return NULL;
	at = packet + AT_OPTIONS;
	while (at < end && *at != OPTION_END) {
		if (*at == OPTION_PAD) {
			at++;
			continue;
		}
		if (end - at < 2 || end - at - 2 < at[1])
			break;
		if (at[0] == code && at[1] >= least) {
			*bytes = at[1];
			return at + 2;
		}
		at += 2 + at[1];
	}
	return NULL;
}

/* The values of options and fields, which are absent if `at` is NULL. */

static struct ipaddr address_at(const uint8_t *at)
{
	return at && bytes_be32(at) ? ipaddr_v4(at) : (struct ipaddr){ .family = IPADDR_NONE };
}

/* A name is ignored, as it is not looked up. Some servers end an address with a NUL. */
static struct ipaddr tftp_at(const uint8_t *at, size_t bytes)
{
	struct ipaddr a = { .family = IPADDR_NONE };

	while (at && bytes && at[bytes - 1] == 0)
		bytes--;
	return at && ipaddr_parse(&a, (const char *)at, bytes) && a.family == IPADDR_V4
		       ? address_at(a.bytes)
		       : address_at(NULL);
}

/* Take a file name up to the first NUL; none if it has an unprintable character. */
static void take_file(char *file, const uint8_t *at, size_t bytes)
{
	const uint8_t *nul = memchr(at, 0, bytes);
	size_t used = nul ? (size_t)(nul - at) : bytes;

	for (size_t i = 0; i < used; i++)
		if (at[i] < ' ' || at[i] > '~')
			return;
	memcpy(file, at, used);
	file[used] = '\0';
}

bool dhcp_ack_read(struct dhcp_ack *a, const uint8_t *packet, size_t packet_bytes)
{
	const uint8_t *end = packet + packet_bytes, *at;
	size_t bytes = 0;

	memset(a, 0, sizeof(*a));
	if (packet_bytes < AT_MAGIC || packet[AT_OP] != OP_REPLY)
		return false;
	a->address = address_at(packet + AT_YIADDR);
	a->server = address_at(packet + AT_SIADDR);
	at = find_option(packet, end, OPTION_TFTP, 1, &bytes);
	if (a->server.family == IPADDR_NONE)
		a->server = tftp_at(at, bytes);
	if (a->server.family == IPADDR_NONE)
		a->server = address_at(find_option(packet, end, OPTION_SERVER, 4, &bytes));
	at = find_option(packet, end, OPTION_FILE, 1, &bytes);
	if (at)
		take_file(a->file, at, bytes);
	if (!a->file[0])
		take_file(a->file, packet + AT_FILE, FILE_BYTES);
	a->has_mac = packet[AT_HTYPE] == ETHERNET && packet[AT_HLEN] == MACADDR_BYTES;
	if (a->has_mac)
		memcpy(a->mac, packet + AT_CHADDR, MACADDR_BYTES);
	return true;
}

void dhcp_ack_boot(struct dhcp_ack *a, const struct dhcp_ack *later)
{
	if (later->server.family == IPADDR_NONE || !later->file[0])
		return;
	a->server = later->server;
	memcpy(a->file, later->file, sizeof(a->file));
}
