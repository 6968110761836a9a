/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest of the joined lines that is taken is the line; what none takes was not broken. */
#include "tool_wrap.h"

#include <stdio.h>
#include <string.h>

/* Blanks at the end of a row of the screen are not copied: it may be that much shorter. */
#define BLANKS_MOST 20

/* Lines number `from` to `to` - 1 as one. */
static void join(const struct tool_wrap *w, size_t from, size_t to, char *line)
{
	for (size_t i = from; i < to; i++) {
		size_t width = i + 1 < to ? w->columns : w->hold[i].bytes;

		line += sprintf(line, "%-*s", (int)width, w->hold[i].text);
	}
}

/* The longest line that begins at `from` and ends before `to`: how many of those it is made of. */
static size_t take_up_to(struct tool_wrap *w, size_t from, size_t to)
{
	char line[TOOL_WRAP_LINES * TOOL_WRAP_MOST + 1];

	for (; to > from + 1; to--) {
		join(w, from, to, line);
		if (w->offer(w->ctx, line, w->hold[from].number, true) == TOOL_WRAP_TAKEN) {
			w->joined += to - from;
			return to - from;
		}
	}
	return 0;
}

/* All rows but the last are full, unless no line is made so. */
static size_t take(struct tool_wrap *w, size_t from)
{
	size_t full = from, count;

	while (full < w->held && w->hold[full].bytes == w->columns)
		full++;
	count = take_up_to(w, from, full < w->held ? full + 1 : full);
	count = count ? count : take_up_to(w, from, w->held);
	if (count)
		return count;
	w->offer(w->ctx, w->hold[from].text, w->hold[from].number, false);
	return 1;
}

void tool_wrap_end(struct tool_wrap *w)
{
	for (size_t i = 0; i < w->held;)
		i += take(w, i);
	w->held = 0;
}

static void hold(struct tool_wrap *w, const char *line, size_t bytes, uint64_t number)
{
	w->hold[w->held].number = number;
	w->hold[w->held].bytes = bytes;
	memcpy(w->hold[w->held++].text, line, bytes + 1);
}

void tool_wrap_add(struct tool_wrap *w, const char *line, uint64_t number, bool keep)
{
	size_t bytes = strlen(line), least = w->columns - BLANKS_MOST;

	if (bytes > w->columns || !w->columns) {
		tool_wrap_end(w);
	} else if (w->held) {
		hold(w, line, bytes, number);
		if (bytes < least || w->held == TOOL_WRAP_LINES)
			tool_wrap_end(w);
		return;
	} else if (keep && (bytes == w->columns ||
			    (bytes >= least &&
			     w->offer(w->ctx, line, number, true) == TOOL_WRAP_REFUSED))) {
		hold(w, line, bytes, number);
		return;
	} else if (keep && bytes >= least) {
		return; /* taken when it was tried */
	}
	w->offer(w->ctx, line, number, false);
}
