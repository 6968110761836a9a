/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of subcommands. */
#include "subcommands.h"

static const struct options_subcommand *const subcommands[] = {
	&show_subcommand,   &diff_subcommand,    &compare_subcommand,
	&advise_subcommand, &measure_subcommand, &boot_subcommand,
	&fleet_subcommand,  &hunt_subcommand,    &predict_subcommand,
};

const struct options_subcommand *subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}
