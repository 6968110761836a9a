/* SPDX-License-Identifier: BSD-2-Clause */
/* Other programs that the command runs. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Start argv[0], which PATH finds, with its standard output to `out`, or with -1 to standard error.
 * If it cannot be started, the reason and `needs`, which names its package, are printed on standard
 * error. Returns -1, with errno, if there is no process for it.
 */
pid_t child_start(const char *const *argv, const char *needs, int out);

/* Wait for its end. False: it failed, and a line on standard error names it. */
bool child_finish(const char *name, pid_t child);

/* Both, for a program whose output nobody reads. */
bool child_run(const char *const *argv, const char *needs);
