/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands: each room has its own; host/subcommands.c lists them. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand show_subcommand, diff_subcommand, compare_subcommand,
	advise_subcommand, measure_subcommand, boot_subcommand, fleet_subcommand, hunt_subcommand,
	predict_subcommand;

/* The n-th, from 0, as --help lists them; NULL past the last. */
const struct options_subcommand *subcommands_at(size_t n);
