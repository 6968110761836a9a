/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of sums since a run's begin, which is drawn again and again: the last one counts. Which
 * tables are of one run is concluded from what sums of one run can do.
 */
#pragma once

#include "tool.h"

#include <stdbool.h>

/* May `now` be the table of `before`, drawn again? It may lack cores of it, or have none yet. */
bool tool_redraw_follows(const struct tool *before, const struct tool *now);

/* It is: `now` begins where `before` does, and has the cores that it lacks. `before` is freed. */
void tool_redraw_take_over(struct tool *now, struct tool *before);
