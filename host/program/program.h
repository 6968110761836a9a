/* SPDX-License-Identifier: BSD-2-Clause */
/* What the main() of a program does with its subcommands. */
#pragma once

#include "options.h"

/* The n-th subcommand of a program; NULL past the last. */
typedef const struct options_subcommand *program_list(size_t n);

/* That of this name; NULL: there is none. */
const struct options_subcommand *program_find(program_list *at, const char *name);

/*
 * Run it, argv[0] being its name; a sole argument `help` that is no file is --help. Returns the
 * exit code.
 */
int program_run(const struct options_subcommand *s, int argc, char **argv);

/* The exit code, once standard output is flushed: EXIT_ERROR if that fails. */
int program_flushed(int code);
