/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program does: the collector itself, and subcommands that ask where it forwards to. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand collect_program, collect_fleet, collect_status;

/* The n-th, from 0, which is the collector; NULL past the last. */
const struct options_subcommand *collect_subcommands_at(size_t n);
