/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs other programs. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Start argv[0], which is searched in PATH. Its standard output is the file descriptor `out`; -1:
 * standard error. If it cannot be executed, the child prints the reason and `needs`, which names
 * its package, on standard error. Returns -1, with errno, if fork() fails.
 */
pid_t child_start(const char *const *argv, const char *needs, int out);

/* Wait for the child to end. False: it failed, and a line on standard error names it. */
bool child_finish(const char *name, pid_t child);

/* Start a program, and wait for it; its output goes to standard error. */
bool child_run(const char *const *argv, const char *needs);
