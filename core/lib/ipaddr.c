/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses from and to text. Nothing is read past the given end. */
#include "ipaddr.h"

#include "bytes.h"
#include "mem.h"

#define V6_GROUPS    8
#define GROUP_DIGITS 4
#define NO_HOLE      SIZE_MAX

/* The rest of the text being read. */
struct cursor {
	const char *at;
	const char *end;
};

static bool ipaddr_skip(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

/* A decimal number up to `max`, which is below 1000, without a leading zero. */
static bool take_decimal(struct cursor *c, unsigned max, unsigned *value)
{
	const char *start = c->at;

	*value = 0;
	while (c->at < c->end && text_hex_digit(*c->at) < 10 && *value <= max)
		*value = *value * 10 + text_hex_digit(*c->at++);
	return c->at > start && *value <= max && (*start != '0' || c->at == start + 1);
}

/* IPv4 */

static bool take_v4(struct cursor *c, uint8_t bytes[IPADDR_V4_BYTES])
{
	for (unsigned i = 0; i < IPADDR_V4_BYTES; i++) {
		unsigned value;

		if ((i && !ipaddr_skip(c, '.')) || !take_decimal(c, 255, &value))
			return false;
		bytes[i] = (uint8_t)value;
	}
	return true;
}

/* IPv6 */

static bool take_group(struct cursor *c, uint8_t bytes[2])
{
	const char *start = c->at;
	unsigned value = 0;

	while (c->at < c->end && c->at < start + GROUP_DIGITS && text_hex_digit(*c->at) < 16)
		value = value << 4 | text_hex_digit(*c->at++);
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
	return c->at > start;
}

/* The last 32 bits may be written as IPv4. */
static bool is_dotted(const struct cursor *c)
{
	size_t bytes = (size_t)(c->end - c->at);

	return memchr(c->at, '.', bytes) && !memchr(c->at, ':', bytes);
}

/* Groups, separated by colons. "::", at most once, stands for one or more groups of zeros. */
static bool take_v6(struct cursor *c, uint8_t bytes[IPADDR_V6_BYTES])
{
	size_t used = 0, hole = NO_HOLE, behind; /* bytes read, those before "::", those behind */

	while (c->at < c->end) {
		bool colon = ipaddr_skip(c, ':');
		size_t width;

		if (colon && ipaddr_skip(c, ':')) {
			if (hole != NO_HOLE)
				return false;
			hole = used;
			if (c->at == c->end)
				break;
		} else if (colon != (used > 0)) {
			return false;
		}
		width = is_dotted(c) ? IPADDR_V4_BYTES : 2;
		if (used + width > IPADDR_V6_BYTES ||
		    !(width == 2 ? take_group : take_v4)(c, bytes + used))
			return false;
		used += width;
	}
	if (hole == NO_HOLE || used == IPADDR_V6_BYTES)
		return hole == NO_HOLE && used == IPADDR_V6_BYTES;
	behind = used - hole;
	memmove(bytes + IPADDR_V6_BYTES - behind, bytes + hole, behind);
	memset(bytes + hole, 0, IPADDR_V6_BYTES - used);
	return true;
}

static bool take_address(struct cursor *c, struct ipaddr *a)
{
	bool is_v6 = memchr(c->at, ':', (size_t)(c->end - c->at)) != NULL;

	*a = (struct ipaddr){ .family = is_v6 ? IPADDR_V6 : IPADDR_V4 };
	return (is_v6 ? take_v6(c, a->bytes) : take_v4(c, a->bytes)) && c->at == c->end;
}

bool ipaddr_parse(struct ipaddr *a, const char *s, size_t bytes)
{
	struct cursor c = { s, s + bytes };
	struct ipaddr found;

	if (!take_address(&c, &found))
		return false;
	*a = found;
	return true;
}

/* Up to the first `stop`, which is skipped; *has_more is false if there is none. */
static struct cursor part(struct cursor *c, char stop, bool *has_more)
{
	const char *found = memchr(c->at, stop, (size_t)(c->end - c->at));
	struct cursor front = { c->at, found ? found : c->end };

	*has_more = found != NULL;
	c->at = found ? found + 1 : c->end;
	return front;
}

bool ipaddr_parse_setup(struct ipaddr_setup *setup, const char *s, size_t bytes)
{
	struct cursor gateway = { s, s + bytes };
	struct ipaddr_setup found = { .prefix = 0 };
	bool has_gateway, has_prefix;
	struct cursor prefix = part(&gateway, ',', &has_gateway);
	struct cursor address = part(&prefix, '/', &has_prefix);
	unsigned bits;

	if (!has_prefix || !take_address(&address, &found.address) ||
	    !take_decimal(&prefix, found.address.family == IPADDR_V6 ? 128 : 32, &bits) ||
	    prefix.at != prefix.end || bits == 0)
		return false;
	if (has_gateway && (!take_address(&gateway, &found.gateway) ||
			    found.gateway.family != found.address.family))
		return false;
	found.prefix = (uint8_t)bits;
	*setup = found;
	return true;
}

bool ipaddr_is_unspecified(const struct ipaddr *a)
{
	static const struct ipaddr none;

	return memcmp(a->bytes, none.bytes, sizeof(a->bytes)) == 0;
}

struct ipaddr ipaddr_v4(const uint8_t bytes[IPADDR_V4_BYTES])
{
	struct ipaddr a = { .family = IPADDR_V4 };

	memcpy(a.bytes, bytes, IPADDR_V4_BYTES);
	return a;
}

/* Printing */

static void print_v4(const uint8_t *b, struct text *out)
{
	text_add(out, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
}

/* The number of zero groups from the n-th on. */
static unsigned zeros_at(const uint8_t *bytes, unsigned n)
{
	unsigned count = 0;

	while (n + count < V6_GROUPS && bytes_be16(bytes + 2 * (n + count)) == 0)
		count++;
	return count;
}

/* "::" stands for the longest row of zeros, the first of several; one zero alone is written. */
static void print_v6(const uint8_t *bytes, struct text *out)
{
	unsigned hole = V6_GROUPS, longest = 1;

	for (unsigned n = 0; n < V6_GROUPS; n++) {
		if (zeros_at(bytes, n) > longest) {
			hole = n;
			longest = zeros_at(bytes, n);
		}
	}
	for (unsigned n = 0; n < V6_GROUPS; n++) {
		if (n == hole) {
			text_add(out, "::");
			n += longest - 1;
			continue;
		}
		text_add(out, "%s%x", n && n != hole + longest ? ":" : "",
			 bytes_be16(bytes + 2 * n));
	}
}

void ipaddr_print(const struct ipaddr *a, struct text *out)
{
	if (a->family == IPADDR_V4)
		print_v4(a->bytes, out);
	else if (a->family == IPADDR_V6)
		print_v6(a->bytes, out);
	else
		text_add(out, "none");
}

void ipaddr_print_setup(const struct ipaddr_setup *setup, struct text *out)
{
	ipaddr_print(&setup->address, out);
	text_add(out, "/%u", setup->prefix);
	if (setup->gateway.family == IPADDR_NONE)
		return;
	text_char(out, ',');
	ipaddr_print(&setup->gateway, out);
}

/* Ethernet */

bool ipaddr_parse_mac(uint8_t mac[MACADDR_BYTES], const char *s, size_t bytes)
{
	uint8_t found[MACADDR_BYTES];

	if (bytes != MACADDR_TEXT - 1)
		return false;
	for (size_t i = 0; i < MACADDR_BYTES; i++, s += 3) {
		unsigned high = text_hex_digit(s[0]), low = text_hex_digit(s[1]);

		if (high > 15 || low > 15 || (i + 1 < MACADDR_BYTES && s[2] != ':'))
			return false;
		found[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(mac, found, sizeof(found));
	return true;
}

void ipaddr_print_mac(const uint8_t mac[MACADDR_BYTES], char between, struct text *out)
{
	for (size_t i = 0; i < MACADDR_BYTES; i++) {
		if (i)
			text_char(out, between);
		text_add(out, "%02x", mac[i]);
	}
}
