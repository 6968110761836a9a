/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest of the joined lines that is taken is the line; what none takes was not broken. */
#include "tool_wrap.h"

#include <stdio.h>
#include <string.h>

/* Blanks at the end of a row of the screen are not copied: it may be that much shorter. */
#define BLANKS_MOST 20

/* "> > " that both lines begin with, as a mail quotes each row. */
static size_t quoted(const char *first, const char *line)
{
	size_t bytes = strspn(first, "> ");

	return *first == '>' && strncmp(first, line, bytes) == 0 ? bytes : 0;
}

/* Lines number `from` to `to` - 1 as one. */
static void join(const struct tool_wrap *w, size_t from, size_t to, char *line)
{
	for (size_t i = from; i < to; i++) {
		size_t width = i + 1 < to ? w->columns : w->hold[i].bytes;
		size_t skip = i > from ? quoted(w->hold[from].text, w->hold[i].text) : 0;

		line += sprintf(line, "%-*s", (int)(width - skip), w->hold[i].text + skip);
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

bool tool_wrap_may_break(const struct tool_wrap *w, size_t bytes)
{
	return w->columns && bytes <= w->columns && bytes >= w->columns - BLANKS_MOST;
}

static void hold(struct tool_wrap *w, const char *line, size_t bytes, uint64_t number)
{
	w->hold[w->held].number = number;
	w->hold[w->held].bytes = bytes;
	memcpy(w->hold[w->held++].text, line, bytes + 1);
}

void tool_wrap_add(struct tool_wrap *w, const char *line, uint64_t number, bool keep)
{
	size_t bytes = strlen(line);
	bool breaks = tool_wrap_may_break(w, bytes);

	if (bytes > w->columns || !w->columns) {
		tool_wrap_end(w);
	} else if (w->held) {
		hold(w, line, bytes, number);
		if (!breaks || w->held == TOOL_WRAP_LINES)
			tool_wrap_end(w);
		return;
	} else if (keep && breaks) {
		enum tool_wrap_result tried = bytes == w->columns
						      ? TOOL_WRAP_REFUSED
						      : w->offer(w->ctx, line, number, true);

		if (tried == TOOL_WRAP_REFUSED)
			hold(w, line, bytes, number);
		if (tried != TOOL_WRAP_IGNORED)
			return;
	}
	w->offer(w->ctx, line, number, false);
}
