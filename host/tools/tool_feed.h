/* SPDX-License-Identifier: BSD-2-Clause */
/* One reading of a file, for a terminal's width. */
#pragma once

#include "tool.h"

/* Pieces are appended to `tools`; `columns` 0: no line is broken. Ends the program without memory.
 */
struct tool_feed *tool_feed_new(struct tool_list *tools, const char *name, size_t columns,
				tool_complain *complain, void *ctx);
void tool_feed(struct tool_feed *f, const char *bytes, size_t count);

struct tool_feed_lines {
	size_t widest; /* columns, without blanks at the end */
	uint64_t joined;
};

struct tool_feed_lines tool_feed_end(struct tool_feed *f);
