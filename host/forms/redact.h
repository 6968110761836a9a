/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records without what identifies one machine or its owner, so that they can be published. What is
 * replaced is numbered: equal values stay equal.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum redact_kind {
	REDACT_UUID, /* of the machine, of a partition */
	REDACT_MAC,  /* with colons or dashes, or as in a device path: MAC(001122334455 */
	REDACT_IP,   /* IPv4 and IPv6 */
	REDACT_KEY,  /* 32 or more hex digits */
	REDACT_PATH, /* of a file, from its root on */
	REDACT_KINDS,
};

struct redact {
	char **value; /* what was replaced, in the order it was met */
	uint8_t *kind;
	size_t values;
	uint64_t places[REDACT_KINDS];
};

/*
 * Print a record's JSON, of `bytes` bytes, which must be valid. Its names stay, and the strings
 * that name the machine's make and firmware, where a version may look like an address.
 */
void redact_record(struct redact *r, const char *json, size_t bytes, FILE *to);

/* "UUID", ...; how many different values of the kind were replaced. */
const char *redact_name(enum redact_kind kind);
size_t redact_values(const struct redact *r, enum redact_kind kind);

void redact_free(struct redact *r);
