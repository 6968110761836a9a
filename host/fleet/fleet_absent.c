/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet` without SQLite: what needs no store. */
#include "fleet.h"

#include "host/attest/attest.h"
#include "host/subcommands.h"

const struct options_subcommand *fleet_subcommands_at(size_t n)
{
	static const struct options_subcommand *const subcommands[] = { &fleet_key,
									&attest_subcommand };

	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}

static const struct options_row none[] = { { 0 } };

const struct options_subcommand fleet_subcommand = {
	.name = "fleet",
	.summary = "a node's key, and attestation: this program has no SQLite",
	.rows = none,
	.group = fleet_subcommands_at,
};
