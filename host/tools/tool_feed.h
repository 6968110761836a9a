/* SPDX-License-Identifier: BSD-2-Clause */
/* One reading of a file, for a terminal's width. */
#pragma once

#include "tool.h"

/* Pieces are appended to `tools`. Ends the program when memory has run out. */
struct tool_feed *tool_feed_new(struct tool_list *tools, const char *name, size_t columns,
				tool_complain *complain, void *ctx);
void tool_feed(struct tool_feed *f, const char *bytes, size_t count);

/* Returns the columns of the widest line. */
size_t tool_feed_end(struct tool_feed *f);
