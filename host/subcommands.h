/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands: each room has its own; host/subcommands.c lists them. */
#pragma once

#include "host/lib/options.h"

extern const struct options_subcommand show_subcommand, compare_subcommand, inos_subcommand,
	harvest_subcommand, install_subcommand, once_subcommand, uninstall_subcommand,
	diff_subcommand, report_subcommand, collect_subcommand, status_subcommand, fleet_subcommand,
	predict_subcommand;

/* argv[0] is the subcommand's name. They return the exit code. */
int show_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int inos_main(int argc, char **argv);
int harvest_main(int argc, char **argv);
int install_main(int argc, char **argv);
int once_main(int argc, char **argv);
int uninstall_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int report_main(int argc, char **argv);
int collect_main(int argc, char **argv);
int status_main(int argc, char **argv);
int fleet_main(int argc, char **argv);
int predict_main(int argc, char **argv);

/* The n-th, from 0, as --help lists them; NULL past the last. */
const struct options_subcommand *subcommands_at(size_t n);
