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

/* Takes a line of a run, with its newline. */
typedef void run_line_take(void *ctx, const struct line *line, const char *text, size_t bytes);

/*
 * Call `take` for each line of the run in `text`, which has whole lines. Returns the number of
 * lines that are not the run's.
 */
uint64_t run_line_each(const char *text, size_t bytes, uint64_t sid, run_line_take *take,
		       void *ctx);

/* The same of a line of any run. */
bool run_line_read_any(const char *text, size_t bytes, struct line *line);
