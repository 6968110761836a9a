/* SPDX-License-Identifier: BSD-2-Clause */
/* The `noisefloor` command for Linux. */
#include "subcommands.h"

int main(int argc, char **argv)
{
	static const struct options_subcommand noisefloor = {
		.name = "noisefloor",
		.command = "noisefloor",
		.group = subcommands_at,
	};

	return program_run(&noisefloor, argc, argv);
}
