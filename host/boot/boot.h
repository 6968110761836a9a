/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand boot_stick, boot_install, boot_once, boot_fetch, boot_remove;

/* The n-th, from 0, as `noisefloor boot --help` lists them; NULL past the last. */
const struct options_subcommand *boot_subcommands_at(size_t n);
