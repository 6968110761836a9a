/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of them. */
#include "collect_subcommands.h"

static const struct options_subcommand *const subcommands[] = { &collect_program, &collect_fleet,
								&collect_status };

const struct options_subcommand *collect_subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}
