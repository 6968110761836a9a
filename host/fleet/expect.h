/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines that should report, and have not. */
#pragma once

#include "runs.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Print those of the file `path`, a UUID on each line, of which no run has ended, or with a
 * max_age_ns above 0 none whose end was received within it. Returns the exit code: 0 there is none
 * of these, 2 error, 3 there are some.
 */
int expect_show(struct runs *r, const char *path, uint64_t max_age_ns, bool as_json);
