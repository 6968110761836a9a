/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand boot_stick, boot_install, boot_once, boot_fetch, boot_remove;

/* The n-th subcommand, from 0, in the order of `noisefloor boot --help`; NULL after the last. */
const struct options_subcommand *boot_subcommands_at(size_t n);
