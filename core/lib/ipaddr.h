/* SPDX-License-Identifier: BSD-2-Clause */
/* Network addresses in their usual notation: IPv4, IPv6, Ethernet. */
#pragma once

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPADDR_V4_BYTES 4
#define IPADDR_V6_BYTES 16
#define IPADDR_TEXT_MAX 40 /* with the NUL: a printed IPv6 address */
#define MACADDR_BYTES   6
#define MACADDR_TEXT    18 /* with the NUL: "aa:bb:cc:dd:ee:ff" */

enum ipaddr_family { IPADDR_NONE, IPADDR_V4, IPADDR_V6 };

struct ipaddr {
	enum ipaddr_family family;
	uint8_t bytes[IPADDR_V6_BYTES]; /* in network order; of IPv4 the first four, the rest 0 */
};

/* An own address, and the gateway. */
struct ipaddr_setup {
	struct ipaddr address;
	uint8_t prefix;        /* length, bits: 1 to 32 or 128 */
	struct ipaddr gateway; /* same family; IPADDR_NONE: there is none */
};

/*
 * "192.0.2.1", or IPv6 in any form of RFC 4291, section 2.2. Numbers are decimal without a leading
 * zero, which some read as octal. False, and *a is IPADDR_NONE, for anything else.
 */
bool ipaddr_parse(struct ipaddr *a, const char *s, size_t bytes);

/* "address/len" or "address/len,gateway". False for anything else. */
bool ipaddr_parse_setup(struct ipaddr_setup *setup, const char *s, size_t bytes);

/* "0.0.0.0", "::", or IPADDR_NONE. */
bool ipaddr_is_unspecified(const struct ipaddr *a);

/* Append the address as in RFC 5952; "none" for IPADDR_NONE. */
void ipaddr_print(const struct ipaddr *a, struct text *out);
void ipaddr_print_setup(const struct ipaddr_setup *setup, struct text *out);

/* An IPv4 address from its bytes. */
struct ipaddr ipaddr_v4(const uint8_t bytes[IPADDR_V4_BYTES]);

/* Append the address with a separator between the bytes, usually ':'. */
void ipaddr_print_mac(const uint8_t mac[MACADDR_BYTES], char between, struct text *out);
