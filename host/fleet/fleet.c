/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of them. */
#include "fleet.h"

#include "host/attest/attest.h"
#include "host/subcommands.h"

static const struct options_subcommand *const subcommands[] = {
	&fleet_list,  &fleet_status, &fleet_export,      &fleet_import,
	&fleet_check, &fleet_key,    &attest_subcommand,
};

const struct options_subcommand *fleet_subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}

static const struct options_row none[] = { { 0 } };

const struct options_subcommand fleet_subcommand = {
	.name = "fleet",
	.summary = "the machines of collectors: list, status, export, import, ...",
	.rows = none,
	.group = fleet_subcommands_at,
};
