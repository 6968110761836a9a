/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log into which several wrote at once, each line behind the name of its writer, as pdsh, docker
 * compose, kubectl --prefix and journald put it there: "node-1: ", "rt_1  | ", "[pod/rt] ",
 * "Nov 22 21:50:01 rack7 measure[831]: ".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOOL_STREAMS_MAX 64

struct tool_streams {
	struct {
		const char *name;
		size_t bytes;
	} stream[TOOL_STREAMS_MAX];
	size_t count;
};

/* Are the lines of the text those of several, which alternate? All lines have a name then. */
bool tool_streams_find(struct tool_streams *s, const char *text, size_t bytes);

/* Number n's lines, at the place that they have in the text; of the others blanks are left. */
void tool_streams_copy(const struct tool_streams *s, size_t n, const char *text, size_t bytes,
		       char *to);
