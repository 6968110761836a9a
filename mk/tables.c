/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that documentation is printed from, as one JSON document: see mk/print_docs.py. */
#include "core/config/config_keys.h"
#include "host/lib/config_help.h"

#include <jansson.h>
#include <stdio.h>

static json_t *key_json(const struct config_help *help, const struct config_key *key)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "name", help->name, "help", help->help,
			 "default", key->fallback, "accepted", key->accepted, "probe",
			 (int)(key->platforms >> CONFIG_PROBE & 1), "linux",
			 (int)(key->platforms >> CONFIG_LINUX & 1));
}

/* Groups and keys in the table's order. */
static json_t *keys_json(void)
{
	json_t *list = json_array();
	const struct config_help *help;
	size_t key = 0;

	for (size_t n = 0; (help = config_help_at(n)); n++)
		json_array_append_new(list, help->title ? json_pack("{s:s}", "title", help->title)
							: key_json(help, config_key_at(key++)));
	return list;
}

int main(void)
{
	json_t *root = json_pack("{s:o}", "keys", keys_json());

	if (!root || json_dumpf(root, stdout, JSON_INDENT(1)) != 0)
		return 1;
	json_decref(root);
	return fflush(stdout) != 0;
}
