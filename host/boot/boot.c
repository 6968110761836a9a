/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`, in the order of its help. */
#include "boot.h"

#include "host/subcommands.h"

static const struct options_subcommand *const subcommands[] = {
	&boot_stick, &boot_install, &boot_once, &boot_fetch, &boot_remove,
};

const struct options_subcommand *boot_subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}

static const struct options_row none[] = { { 0 } };

const struct options_subcommand boot_subcommand = {
	.name = "boot",
	.summary = "start the probe: stick, install, once; fetch its report; remove",
	.rows = none,
	.group = boot_subcommands_at,
};
