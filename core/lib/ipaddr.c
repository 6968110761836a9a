/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses from and to text. Nothing is read past the given end. */
#include "ipaddr.h"

#include "bytes.h"
#include "mem.h"
#include "span.h"

#define V6_GROUPS    8
#define GROUP_DIGITS 4
#define NO_HOLE      SIZE_MAX

/* IPv4 */

static bool take_v4(struct span *c, uint8_t bytes[IPADDR_V4_BYTES])
{
	for (unsigned i = 0; i < IPADDR_V4_BYTES; i++) {
		uint32_t value;

		if ((i && !span_skip(c, ".")) || !span_decimal(c, 255, &value))
			return false;
		bytes[i] = (uint8_t)value;
	}
	return true;
}

/* IPv6 */

static bool take_group(struct span *c, uint8_t bytes[2])
{
	unsigned value = 0, n = 0;

	for (; c->bytes && n < GROUP_DIGITS && text_hex_digit(*c->s) < 16; n++)
		value = value << 4 | text_hex_digit(*span_take(c, 1).s);
	bytes_put_be16(bytes, (uint16_t)value);
	return n > 0;
}

/* The last 32 bits may be written as IPv4. */
static bool is_dotted(const struct span *c)
{
	return memchr(c->s, '.', c->bytes) && !memchr(c->s, ':', c->bytes);
}

/* Groups, separated by colons. "::", at most once, stands for one or more groups of zeros. */
static bool take_v6(struct span *c, uint8_t bytes[IPADDR_V6_BYTES])
{
	size_t used = 0, hole = NO_HOLE, behind; /* bytes read, those before "::", those behind */

	while (c->bytes) {
		bool colon = span_skip(c, ":");
		size_t width;

		if (colon && span_skip(c, ":")) {
			if (hole != NO_HOLE)
				return false;
			hole = used;
			if (!c->bytes)
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

bool ipaddr_parse(struct ipaddr *a, const char *s, size_t bytes)
{
	bool is_v6 = memchr(s, ':', bytes) != NULL;
	struct span c = { s, bytes };

	*a = (struct ipaddr){ .family = is_v6 ? IPADDR_V6 : IPADDR_V4 };
	if ((is_v6 ? take_v6 : take_v4)(&c, a->bytes) && !c.bytes)
		return true;
	*a = (struct ipaddr){ .family = IPADDR_NONE };
	return false;
}

bool ipaddr_parse_setup(struct ipaddr_setup *setup, const char *s, size_t bytes)
{
	bool has_gateway = memchr(s, ',', bytes) != NULL;
	struct span gateway = { s, bytes }, prefix = span_until(&gateway, ',');
	struct span address = span_until(&prefix, '/');
	uint32_t bits;

	*setup = (struct ipaddr_setup){ .prefix = 0 };
	if (!ipaddr_parse(&setup->address, address.s, address.bytes) ||
	    !span_decimal(&prefix, setup->address.family == IPADDR_V6 ? 128 : 32, &bits) ||
	    prefix.bytes || bits == 0)
		return false;
	setup->prefix = (uint8_t)bits;
	return !has_gateway || (ipaddr_parse(&setup->gateway, gateway.s, gateway.bytes) &&
				setup->gateway.family == setup->address.family);
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

void ipaddr_print_mac(const uint8_t mac[MACADDR_BYTES], char between, struct text *out)
{
	for (size_t i = 0; i < MACADDR_BYTES; i++) {
		if (i)
			text_char(out, between);
		text_add(out, "%02x", mac[i]);
	}
}
