/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet key`: a node's key from the fleet's. */
#include "fleet.h"

#include "host/lib/exit.h"
#include "host/program/config_words.h"
#include "host/lib/node_key.h"

#include <stdio.h>

static struct options {
	const char *fleet, *node;
} options;

static int key_run(int count, char **arguments)
{
	uint8_t fleet[CONFIG_SECRET_BYTES], node[CONFIG_SECRET_BYTES], uuid[UUID_BYTES];
	char digits[CONFIG_KEY_DIGITS];

	(void)count, (void)arguments;
	/* A typing mistake would be a key that nothing accepts. */
	if (!uuid_parse(options.node, uuid)) {
		fputs("fleet key: --node is not a UUID; accepted: 32 hex digits in groups of "
		      "8-4-4-4-12\n",
		      stderr);
		return EXIT_ERROR;
	}
	if (!config_key_read("fleet key", "--fleet", options.fleet, fleet))
		return EXIT_ERROR;
	node_key(fleet, uuid, node);
	config_key_print(node, digits);
	puts(digits);
	return EXIT_PASS;
}

static const struct options_row rows[] = {
	{ "fleet", "FILE", "the key of the fleet, 32 hex digits: --key of noisefloor-collect",
	  options_text, offsetof(struct options, fleet), .required = true },
	{ "node", "UUID", "the node's, as in the records of its runs", options_text,
	  offsetof(struct options, node), .required = true },
	{ 0 },
};

const struct options_subcommand fleet_key = {
	.name = "key",
	.command = "noisefloor fleet key",
	.run = key_run,
	.summary = "a node's own key, from that of the fleet",
	.about = "Prints the key for the node's noisefloor.conf (key=). A collector with the "
		 "fleet's key accepts it for runs of that UUID only.",
	.exit_code = "0 printed, 2 error.",
	.rows = rows,
	.options = &options,
};
