/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed part of a DHCP packet, and options, which may continue in two of its fields. */
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
	AT_SNAME = 44,
	AT_FILE = 108,
	AT_MAGIC = 236,
	AT_OPTIONS = 240,
};

#define OP_REPLY    2
#define ETHERNET    1
#define SNAME_BYTES (AT_FILE - AT_SNAME)
#define FILE_BYTES  (AT_MAGIC - AT_FILE)

/* RFC 2132, with sections. */
enum {
	OPTION_PAD = 0,       /* 3.1 */
	OPTION_OVERLOAD = 52, /* 9.3 */
	OPTION_SERVER = 54,   /* 9.7 */
	OPTION_TFTP = 66,     /* 9.4 */
	OPTION_FILE = 67,     /* 9.5 */
	OPTION_END = 255,     /* 3.2 */
};

#define OVERLOAD_FILE  1
#define OVERLOAD_SNAME 2

/* The places of options: their own, and up to two fields of the packet. */
struct options {
	unsigned count;
	struct {
		const uint8_t *at, *end;
	} part[3];
};

/* The first option of at least so many bytes. NULL: there is none. */
static const uint8_t *find_option(const struct options *o, uint8_t code, size_t least,
				  size_t *bytes)
{
	for (unsigned n = 0; n < o->count; n++) {
		const uint8_t *at = o->part[n].at, *end = o->part[n].end;

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
	}
	return NULL;
}

static void add_part(struct options *o, const uint8_t *at, size_t bytes)
{
	o->part[o->count].at = at;
	o->part[o->count++].end = at + bytes;
}

/* Returns the fields of the packet in which options continue. */
static unsigned find_parts(struct options *o, const uint8_t *packet, size_t bytes)
{
	static const uint8_t magic[] = { 0x63, 0x82, 0x53, 0x63 };
	const uint8_t *overload;
	unsigned fields;

	o->count = 0;
	if (bytes < AT_OPTIONS || memcmp(packet + AT_MAGIC, magic, sizeof(magic)) != 0)
		return 0;
	add_part(o, packet + AT_OPTIONS, bytes - AT_OPTIONS);
	overload = find_option(o, OPTION_OVERLOAD, 1, &bytes);
	fields = overload ? *overload : 0;
	if (fields & OVERLOAD_FILE)
		add_part(o, packet + AT_FILE, FILE_BYTES);
	if (fields & OVERLOAD_SNAME)
		add_part(o, packet + AT_SNAME, SNAME_BYTES);
	return fields;
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

static void read_answer(struct dhcp_ack *a, const uint8_t *packet, size_t packet_bytes)
{
	struct options o;
	unsigned fields = find_parts(&o, packet, packet_bytes);
	const uint8_t *at;
	size_t bytes = 0;

	a->address = address_at(packet + AT_YIADDR);
	a->server = address_at(packet + AT_SIADDR);
	at = find_option(&o, OPTION_TFTP, 1, &bytes);
	if (a->server.family == IPADDR_NONE)
		a->server = tftp_at(at, bytes);
	if (a->server.family == IPADDR_NONE)
		a->server = address_at(find_option(&o, OPTION_SERVER, 4, &bytes));
	at = find_option(&o, OPTION_FILE, 1, &bytes);
	if (at)
		take_file(a->file, at, bytes);
	if (!a->file[0] && !(fields & OVERLOAD_FILE))
		take_file(a->file, packet + AT_FILE, FILE_BYTES);
	a->has_mac = packet[AT_HTYPE] == ETHERNET && packet[AT_HLEN] == MACADDR_BYTES;
	if (a->has_mac)
		memcpy(a->mac, packet + AT_CHADDR, MACADDR_BYTES);
}

bool dhcp_ack_read(struct dhcp_ack *a, const uint8_t *packet, size_t bytes)
{
	bool good = bytes >= AT_MAGIC && packet[AT_OP] == OP_REPLY;

	memset(a, 0, sizeof(*a));
	if (good)
		read_answer(a, packet, bytes);
	return good;
}

void dhcp_ack_boot(struct dhcp_ack *a, const struct dhcp_ack *later)
{
	if (later->server.family == IPADDR_NONE || !later->file[0])
		return;
	a->server = later->server;
	memcpy(a->file, later->file, sizeof(a->file));
}
