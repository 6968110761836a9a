/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a tool's output stands in a log. Something may precede each of its lines (journald, a
 * container's log, pdsh) or only the first (a program that prints what another printed); its text
 * may be in a string (JSON, YAML, Go), line by line or whole, with escapes, also of escapes. No
 * form of log is known here: what precedes the first line is what the next is held against.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What precedes a line is no longer than this; else only the first is taken to have it. */
#define TOOL_FRAME_PREFIX_MAX 1024

struct tool_frame {
	char prefix[TOOL_FRAME_PREFIX_MAX];
	size_t bytes;   /* of it; 0: the lines stand alone */
	bool learned;   /* by a second line */
	char quote;     /* that the text is in; 0: none */
	size_t escapes; /* backslashes before that quote */
	bool closed;    /* the string ended with the line */
};

/* Where `literal` begins a word in the line; NULL: nowhere. */
const char *tool_frame_word(const char *line, const char *literal);

/* The same of a title, which is alone in its line. */
const char *tool_frame_title(const char *line, const char *title);

/* Nothing of the output follows in this line: blanks, a string's or a line's end. */
bool tool_frame_ends(const char *at);

/* Where the line that holds `at` begins, if in a string, or escaped. */
const char *tool_frame_string(const char *line, const char *at);

/* An output begins at `at` in this line. */
void tool_frame_begin(struct tool_frame *f, const char *line, const char *at);

/* What of the next line is the output's; NULL: the line is another's. */
const char *tool_frame_peel(struct tool_frame *f, const char *line);

/* Does the text need to be unescaped? */
bool tool_frame_is_escaped(const struct tool_frame *f, const char *text);

/* Write the lines that are escaped in `text` to `out`, which has as much room. */
void tool_frame_unescape(struct tool_frame *f, const char *text, char *out);
