/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of them: those of a store come first. */
#include "fleet.h"

#include "host/attest/attest.h"
#include "host/subcommands.h"

static const struct options_subcommand *const without_store[] = { &fleet_key, &attest_subcommand };

const struct options_subcommand *fleet_subcommands_at(size_t n)
{
	const struct options_subcommand *const *stored = fleet_stored;

	for (; *stored; stored++, n--)
		if (!n)
			return *stored;
	return n < sizeof(without_store) / sizeof(without_store[0]) ? without_store[n] : NULL;
}

static const struct options_row none[] = { { 0 } };

const struct options_subcommand fleet_subcommand = {
	.name = "fleet",
	.summary = fleet_summary,
	.rows = none,
	.group = fleet_subcommands_at,
};
