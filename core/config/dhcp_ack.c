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
	OPTION_MASK = 1,      /* 3.3 */
	OPTION_ROUTERS = 3,   /* 3.5 */
	OPTION_LEASE = 51,    /* 9.2 */
	OPTION_OVERLOAD = 52, /* 9.3 */
	OPTION_SERVER = 54,   /* 9.7 */
	OPTION_RENEW = 58,    /* 9.11 */
	OPTION_TFTP = 66,     /* 9.4 */
	OPTION_FILE = 67,     /* 9.5 */
	OPTION_END = 255,     /* 3.2 */
};

#define OVERLOAD_FILE  1
#define OVERLOAD_SNAME 2

/* A packet being read. */
struct reading {
	struct dhcp_ack ack;
	uint8_t overload;
	struct ipaddr tftp, identifier; /* options 66, if an address, and 54 */
};

/* Take an option's value, unless *to has one. */
typedef void taker(void *to, const uint8_t *value, size_t bytes);

static void take_address(void *to, const uint8_t *value, size_t bytes)
{
	struct ipaddr *a = to;

	(void)bytes;
	if (a->family == IPADDR_NONE && bytes_be32(value) != 0)
		*a = ipaddr_v4(value);
}

static void take_seconds(void *to, const uint8_t *value, size_t bytes)
{
	struct maybe *m = to;

	(void)bytes;
	if (!m->known)
		*m = (struct maybe){ bytes_be32(value), true };
}

/* Take a file name up to the first NUL; none if it has an unprintable character. */
static void take_file(void *to, const uint8_t *value, size_t bytes)
{
	const uint8_t *nul = bytes ? memchr(value, 0, bytes) : NULL;
	size_t used = nul ? (size_t)(nul - value) : bytes;
	char *file = to;

	if (file[0] || used > DHCP_FILE_MAX)
		return;
	for (size_t i = 0; i < used; i++)
		if (value[i] < ' ' || value[i] > '~')
			return;
	memcpy(file, value, used);
	file[used] = '\0';
}

static void take_mask(void *to, const uint8_t *value, size_t bytes)
{
	uint32_t hosts = ~bytes_be32(value);

	/* A mask of ones before zeros: its complement plus one is a power of two. */
	if ((hosts & (hosts + 1)) == 0)
		take_address(to, value, bytes);
}

static void take_overload(void *to, const uint8_t *value, size_t bytes)
{
	uint8_t *overload = to;

	(void)bytes;
	if (!*overload)
		*overload = value[0] & (OVERLOAD_FILE | OVERLOAD_SNAME);
}

/* Take an address. A name is ignored, as it is not looked up. Some servers end it with a NUL. */
static void take_tftp(void *to, const uint8_t *value, size_t bytes)
{
	struct ipaddr a;

	while (bytes && value[bytes - 1] == 0)
		bytes--;
	if (ipaddr_parse(&a, (const char *)value, bytes) && a.family == IPADDR_V4)
		take_address(to, a.bytes, IPADDR_V4_BYTES);
}

#define TO(member) offsetof(struct reading, member)

static const struct option {
	uint8_t code;
	uint8_t least; /* bytes; shorter options are ignored */
	uint16_t to;
	taker *take;
} options[] = {
	{ OPTION_MASK, 4, TO(ack.mask), take_mask },
	{ OPTION_ROUTERS, 4, TO(ack.gateway), take_address },
	{ OPTION_LEASE, 4, TO(ack.lease_s), take_seconds },
	{ OPTION_OVERLOAD, 1, TO(overload), take_overload },
	{ OPTION_SERVER, 4, TO(identifier), take_address },
	{ OPTION_RENEW, 4, TO(ack.renew_s), take_seconds },
	{ OPTION_TFTP, 1, TO(tftp), take_tftp },
	{ OPTION_FILE, 1, TO(ack.file), take_file },
};

static void take_option(struct reading *r, uint8_t code, const uint8_t *value, size_t bytes)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].code == code && bytes >= options[i].least)
			options[i].take((char *)r + options[i].to, value, bytes);
}

static void take_options(struct reading *r, const uint8_t *at, size_t bytes)
{
	const uint8_t *end = at + bytes;

	while (at < end && *at != OPTION_END) {
		if (*at == OPTION_PAD) {
			at++;
			continue;
		}
		if (end - at < 2 || end - at - 2 < at[1])
			return;
		take_option(r, at[0], at + 2, at[1]);
		at += 2 + at[1];
	}
}

static void read_options(struct reading *r, const uint8_t *packet, size_t bytes)
{
	static const uint8_t magic[] = { 0x63, 0x82, 0x53, 0x63 };

	if (bytes < AT_OPTIONS || memcmp(packet + AT_MAGIC, magic, sizeof(magic)) != 0)
		return;
	take_options(r, packet + AT_OPTIONS, bytes - AT_OPTIONS);
	if (r->overload & OVERLOAD_FILE)
		take_options(r, packet + AT_FILE, FILE_BYTES);
	if (r->overload & OVERLOAD_SNAME)
		take_options(r, packet + AT_SNAME, SNAME_BYTES);
}

bool dhcp_ack_read(struct dhcp_ack *a, const uint8_t *packet, size_t bytes)
{
	struct reading r = { .overload = 0 };
	bool good = bytes >= AT_MAGIC && packet[AT_OP] == OP_REPLY;

	if (good) {
		take_address(&r.ack.address, packet + AT_YIADDR, IPADDR_V4_BYTES);
		if (packet[AT_HTYPE] == ETHERNET && packet[AT_HLEN] == MACADDR_BYTES) {
			r.ack.has_mac = true;
			memcpy(r.ack.mac, packet + AT_CHADDR, MACADDR_BYTES);
		}
		read_options(&r, packet, bytes);
		if (!(r.overload & OVERLOAD_FILE))
			take_file(r.ack.file, packet + AT_FILE, FILE_BYTES);
		take_address(&r.ack.server, packet + AT_SIADDR, IPADDR_V4_BYTES);
		take_address(&r.ack.server, r.tftp.bytes, IPADDR_V4_BYTES);
		take_address(&r.ack.server, r.identifier.bytes, IPADDR_V4_BYTES);
	}
	*a = r.ack;
	return good;
}

void dhcp_ack_boot(struct dhcp_ack *a, const struct dhcp_ack *later)
{
	if (later->server.family == IPADDR_NONE || !later->file[0])
		return;
	a->server = later->server;
	memcpy(a->file, later->file, sizeof(a->file));
}
