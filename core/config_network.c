/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys that say where records go and what signs them: report, ip, key. */
#include "config_keys.h"

#include "mem.h"
#include "units.h"

/* report */

/* A name or an IPv4 address by its characters alone: only the network can tell more. */
static bool is_host(struct config_word w)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-";

	for (size_t i = 0; i < w.bytes; i++) {
		if (!memchr(allowed, w.s[i], sizeof(allowed) - 1))
			return false;
	}
	return w.bytes > 0;
}

/* A decimal number without a superfluous leading zero, min to max: "010" means 8 to some. */
static bool is_decimal(struct config_word w, uint64_t min, uint64_t max)
{
	uint64_t number = 0;

	if (w.bytes > 1 && w.s[0] == '0')
		return false;
	return units_parse_u64(w.s, w.bytes, &number) == UNITS_OK && number >= min && number <= max;
}

const char *config_parse_report(struct config *c, const struct config_key *key,
				struct config_word value)
{
	struct config_word rest = value;

	(void)key;
	if (config_word_is(value, "none")) {
		c->report[0] = '\0';
		return NULL;
	}
	if (!config_word_skip(&rest, "udp://") && !config_word_skip(&rest, "influx://"))
		return "names no known protocol";
	if (value.bytes > CONFIG_REPORT_MAX)
		return "is too long";
	if (!is_host(config_word_until(&rest, ':')))
		return "has no valid host";
	if (!is_decimal(rest, 1, 65535))
		return "has no valid port";
	memcpy(c->report, value.s, value.bytes);
	c->report[value.bytes] = '\0';
	return NULL;
}

void config_print_report(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	text_add(out, "%s", c->report[0] ? c->report : "none");
}

/* ip */

static bool is_ipv4(struct config_word w)
{
	for (unsigned i = 0; i < 3; i++) {
		if (!memchr(w.s, '.', w.bytes) || !is_decimal(config_word_until(&w, '.'), 0, 255))
			return false;
	}
	return is_decimal(w, 0, 255);
}

/* a.b.c.d/len[,gw] */
static bool is_ipv4_setup(struct config_word w)
{
	bool has_gateway = memchr(w.s, ',', w.bytes) != NULL;
	struct config_word length = config_word_until(&w, ',');
	struct config_word address = config_word_until(&length, '/');

	return is_ipv4(address) && is_decimal(length, 1, 32) && (!has_gateway || is_ipv4(w));
}

const char *config_parse_ip(struct config *c, const struct config_key *key,
			    struct config_word value)
{
	(void)key;
	if (!config_word_is(value, "dhcp") && !is_ipv4_setup(value))
		return "is not an address";
	/* No form that passes is longer than CONFIG_IP_MAX. */
	memcpy(c->ip, value.s, value.bytes);
	c->ip[value.bytes] = '\0';
	return NULL;
}

void config_print_ip(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	text_add(out, "%s", c->ip);
}

/* key */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = memchr(digits, c, sizeof(digits) - 1);

	return found ? (int)((found - digits) & 15) : -1;
}

const char *config_parse_secret(struct config *c, const struct config_key *key,
				struct config_word value)
{
	uint8_t bytes[CONFIG_SECRET_BYTES] = { 0 };
	bool set = !config_word_is(value, "none");

	(void)key;
	if (set && value.bytes != 2 * sizeof(bytes))
		return "is not 32 characters long";
	for (size_t i = 0; set && i < value.bytes; i++) {
		int digit = hex_digit(value.s[i]);

		if (digit < 0)
			return "has a character that is no hex digit";
		bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
	}
	c->key.set = set;
	memcpy(c->key.bytes, bytes, sizeof(bytes));
	return NULL;
}

void config_print_secret(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	text_add(out, "%s", c->key.set ? "<set>" : "none");
}
