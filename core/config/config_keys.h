/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of configuration keys, whose rows are in config_rows.h. */
#pragma once

#include "config.h"
#include "core/lib/span.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

struct config_key;

/* Store `value`. Returns NULL, or the mistake ("needs a unit"), and then *c is unchanged. */
typedef const char *config_parser(struct config *c, const struct config_key *key,
				  struct span value);

/* Print the value so that it can be parsed again. */
typedef void config_printer(const struct config *c, const struct config_key *key, struct text *out);

struct config_key {
	const char *name;
	const char *fallback; /* the default, as text */
	const char *accepted; /* the end of a complaint; of a choice, its words in order */
	config_parser *parse;
	config_printer *print;
	const void *detail; /* parameters of parsers that rows share */
	uint16_t offset;    /* offset of the field in struct config, for shared parsers */
	uint8_t platforms;  /* platforms that accept it: bits 1 << enum config_platform */
	uint8_t modes; /* modes that measure what a limit is on: 1 << enum config_mode; 0: all */
	bool secret;   /* no complaint quotes the value */
	bool on_smi;   /* applies to SMIs alone */
	bool limit;    /* a limit of the verdict; a struct config_limit */
};

extern const struct config_key config_keys[CONFIG_KEYS];

/* The key of that name; NULL: there is none. */
const struct config_key *config_key_find(struct span name);

/* The unit of a number. */
struct config_unit {
	const char *(*parse)(struct span value, uint64_t *number); /* NULL, or what is wrong */
	void (*print)(struct text *out, uint64_t number);          /* exact: parse() reads it */
	void (*print_rounded)(struct text *out, uint64_t number);  /* for people */
	const char *too_small;
};

extern const struct config_unit config_in_ns, config_in_counts, config_in_factors;

/* Rows whose parsers are in core/config/config_network.c. */
config_parser config_parse_report, config_parse_ip, config_parse_nic, config_parse_secret;
config_printer config_print_report, config_print_ip, config_print_nic, config_print_secret;
