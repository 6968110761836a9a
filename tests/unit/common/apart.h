/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a part of a test program in a process of its own: what it changes, leaks or breaks is not
 * the next one's. A fork costs little beside a new program with a sanitizer's shadow.
 *
 * A line on both outputs before and after each part divides what the parts print:
 *
 *   ## NAME: begins
 *   ## NAME: ends: well | status 23 | signal 11
 */
#pragma once

#include <stdbool.h>

/* `run` gives the number of failures. True if it ended well; `failures` may be NULL. */
bool apart_run(const char *name, int (*run)(void *arg), void *arg, int *failures);
