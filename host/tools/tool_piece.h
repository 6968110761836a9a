/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs of tools, out of the lines of a log. One piece is read at a time, until another begins;
 * a command line and a `# noisefloor:` line are of the next piece.
 */
#pragma once

#include "tool_command.h"
#include "tool_format.h"
#include "tool_frame.h"

struct tool_pieces {
	struct tool_list *tools;
	const char *file;
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	struct tool_frame frame;   /* of the piece */
	struct tool_stated stated; /* for the next piece */
	bool has_stated;
	uint64_t stated_line;
	struct tool_command command;
	uint64_t command_line; /* the line that it stands in */
	bool apart;            /* the next piece is not of the run before */
	size_t count;          /* pieces that were kept */
	uint64_t torn;         /* the first line that cannot be read; 0: none */
	bool failed, many_reported;
	uint64_t row_line; /* the last line that gave figures */
	bool row_is_alike; /* that line begins as the rest of a row may */
	bool untitled;     /* what begins in the line in hand does so by a row */
	const char *body;  /* in the line in hand: where a row of the piece begins, or NULL */
	char writers[2]
		    [TOOL_FRAME_PREFIX_MAX]; /* prefixes of the last piece and of the one before */
};

/* Take a line of the log, without control characters. */
void tool_piece_take(struct tool_pieces *f, uint64_t number, const char *line);

/* The piece, if there is one, has ended: keep what has figures. */
void tool_piece_end(struct tool_pieces *f);

/* Something about the file that is no fault of a line; number 0: about all of it. */
void tool_piece_remark(const struct tool_pieces *f, uint64_t number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
