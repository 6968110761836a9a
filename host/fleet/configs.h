/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which configurations machines of one kind had, by the SHA-256 of the begin record's. Limits,
 * threshold and duration are the node's own: figures and verdicts of different ones are not of the
 * same measurement.
 */
#pragma once

#include "host/capture/facts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct configs_one {
	uint8_t digest[SHA256_BYTES];
	size_t nodes;
	const char *uuid; /* of a machine that has it */
};

/* All zero is empty. */
struct configs {
	struct configs_one *at;
	size_t count;
};

/* A machine's; one that is not known, all zero, is left out. `uuid` stays the caller's. */
void configs_add(struct configs *c, const uint8_t digest[SHA256_BYTES], const char *uuid);

/* The same of so many machines, such as this one. */
void configs_add_many(struct configs *c, const uint8_t digest[SHA256_BYTES], size_t nodes,
		      const char *uuid);

/* Count equal ones, that of most machines first. True: they differ. */
bool configs_differ(struct configs *c);

/* The digits of a digest's beginning, as many as people need to keep configurations apart. */
#define CONFIGS_DIGITS 16
const char *configs_short(const uint8_t digest[SHA256_BYTES], char buf[CONFIGS_DIGITS + 1]);

/* [{"config": 64 hex digits, "nodes":, "uuid":}, ...] */
json_t *configs_json(const struct configs *c);
json_t *configs_digits(const uint8_t digest[SHA256_BYTES]);

void configs_free(struct configs *c);
