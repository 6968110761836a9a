/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands before each line of an output in a log: the time, a container's or a host's name, the
 * "> " of a quote. It is learned from the line in which the output begins and from the next one;
 * numbers and times change in it, nothing else does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOOL_FRAME_PREFIX_MAX 1024

struct tool_frame {
	char prefix[TOOL_FRAME_PREFIX_MAX];
	size_t bytes; /* of it; 0: the lines stand alone */
	bool learned; /* by a second line */
	bool partly;  /* the last line began like the prefix, and went on otherwise */
};

/* An output begins at `at` in this line. */
void tool_frame_begin(struct tool_frame *f, const char *line, const char *at);

/* What of the next line is the output's; NULL: the line is another's. */
const char *tool_frame_peel(struct tool_frame *f, const char *line);
