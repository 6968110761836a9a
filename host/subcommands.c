/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of subcommands. */
#include "subcommands.h"

static const struct options_subcommand *const subcommands[] = {
	&show_subcommand,      &compare_subcommand, &runs_subcommand,    &measure_subcommand,
	&harvest_subcommand,   &stick_subcommand,   &install_subcommand, &once_subcommand,
	&uninstall_subcommand, &diff_subcommand,    &report_subcommand,  &fleet_subcommand,
	&predict_subcommand,   &advise_subcommand,  &hunt_subcommand,
};

const struct options_subcommand *subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}
