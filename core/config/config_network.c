/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys for the destination of records, the way to it, and their signature. */
#include "config_keys.h"

#include "core/lib/mem.h"

/* report */

/* Words for the boot server, or for none. */
static const char *const report_words[] = {
	[REPORT_NONE] = "none",
	[REPORT_AUTO] = "auto",
	[REPORT_UDP] = "udp",
};

#define REPORT_SCHEME "udp://"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Take "a.b.c.d:" or "[IPv6]:" off the front. */
static struct span host_of(struct span *rest)
{
	struct span host;

	if (!span_skip(rest, "["))
		return span_until(rest, ':');
	host = span_until(rest, ']');
	/* Without a colon here there is no port. */
	if (!span_skip(rest, ":"))
		rest->bytes = 0;
	return host;
}

static const char *parse_target(struct config *c, struct span rest)
{
	bool has_brackets = rest.bytes && rest.s[0] == '[';
	struct span host = host_of(&rest);
	struct ipaddr address;
	uint32_t port;

	if (!host.bytes)
		return "has no host";
	if (!ipaddr_parse(&address, host.s, host.bytes) ||
	    has_brackets != (address.family == IPADDR_V6))
		return "has a host that is not an address, and host names are not resolved";
	if (ipaddr_is_unspecified(&address))
		return "has an unspecified address as host";
	if (!span_decimal(&rest, 65535, &port) || rest.bytes || !port)
		return "has no valid port";
	c->report.kind = REPORT_UDP;
	c->report.host = address;
	c->report.port = (uint16_t)port;
	return NULL;
}

const char *config_parse_report(struct config *c, const struct config_key *key, struct span value)
{
	(void)key;
	for (unsigned kind = 0; kind < COUNT(report_words); kind++) {
		if (!span_is(value, report_words[kind]))
			continue;
		memset(&c->report, 0, sizeof(c->report));
		c->report.kind = (enum config_report)kind;
		c->report.port = CONFIG_REPORT_PORT;
		return NULL;
	}
	if (span_skip(&value, REPORT_SCHEME))
		return parse_target(c, value);
	return "has an unknown protocol";
}

void config_print_report(const struct config *c, const struct config_key *key, struct text *out)
{
	bool is_v6 = c->report.host.family == IPADDR_V6;

	(void)key;
	if (c->report.host.family == IPADDR_NONE) {
		text_add(out, "%s", report_words[c->report.kind]);
		return;
	}
	text_add(out, "%s%s", REPORT_SCHEME, is_v6 ? "[" : "");
	ipaddr_print(&c->report.host, out);
	text_add(out, "%s:%u", is_v6 ? "]" : "", c->report.port);
}

/* ip */

const char *config_parse_ip(struct config *c, const struct config_key *key, struct span value)
{
	struct ipaddr_setup ip = { .prefix = 0 };

	(void)key;
	if (!span_is(value, "dhcp") && !ipaddr_parse_setup(&ip, value.s, value.bytes))
		return "is not an address";
	c->ip = ip;
	return NULL;
}

void config_print_ip(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	if (c->ip.address.family == IPADDR_NONE)
		text_add(out, "dhcp");
	else
		ipaddr_print_setup(&c->ip, out);
}

/* nic */

/* A multicast address (IEEE 802, the first bit on the wire). */
#define MAC_GROUP 0x01

const char *config_parse_nic(struct config *c, const struct config_key *key, struct span value)
{
	uint8_t mac[MACADDR_BYTES] = { 0 };
	bool set = !span_is(value, "auto"), good = !set || value.bytes == MACADDR_TEXT - 1;

	(void)key;
	for (size_t i = 0; set && good && i < sizeof(mac); i++)
		good = text_hex_byte(value.s + 3 * i, &mac[i]) &&
		       (i + 1 == sizeof(mac) || value.s[3 * i + 2] == ':');
	if (!good)
		return "is not a card's address";
	if (mac[0] & MAC_GROUP)
		return "is a multicast address";
	c->nic.set = set;
	memcpy(c->nic.mac, mac, sizeof(mac));
	return NULL;
}

void config_print_nic(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	if (c->nic.set)
		ipaddr_print_mac(c->nic.mac, ':', out);
	else
		text_add(out, "auto");
}

/* key */

const char *config_parse_secret(struct config *c, const struct config_key *key, struct span value)
{
	uint8_t bytes[CONFIG_SECRET_BYTES] = { 0 };
	bool set = !span_is(value, "none");

	(void)key;
	if (set && value.bytes != 2 * sizeof(bytes))
		return "is not 32 characters long";
	for (size_t i = 0; set && i < sizeof(bytes); i++)
		if (!text_hex_byte(value.s + 2 * i, &bytes[i]))
			return "has a character that is not a hex digit";
	c->key.set = set;
	memcpy(c->key.bytes, bytes, sizeof(bytes));
	return NULL;
}

void config_print_secret(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	text_add(out, "%s", c->key.set ? "<set>" : "none");
}
