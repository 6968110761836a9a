/* SPDX-License-Identifier: BSD-2-Clause */
/* Record lines, as a collector accepts them from the network and from files. */
#pragma once

#include "host/capture/line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Is the line, without its newline, a complete record of this run in printable ASCII? It may then
 * be shown on terminals.
 */
bool run_line_read(const char *text, size_t bytes, uint64_t sid, struct line *line);

/* The same of a line of any run. */
bool run_line_read_any(const char *text, size_t bytes, struct line *line);
