/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs of tools, out of lines that stand alone: nothing before them, nothing broken. One piece
 * is read at a time, until another begins; what a `# noisefloor:` line states waits for the next.
 */
#pragma once

#include "tool_command.h"
#include "tool_format.h"

struct tool_pieces {
	struct tool_list *tools;
	const char *file;
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	struct tool_stated stated; /* for the next piece */
	bool has_stated;
	uint64_t stated_line;
	struct tool_command command, applied; /* the last, until a piece begins; that piece's */
	char shell[TOOL_COMMAND_MAX];         /* what a shell was asked to do, for the next piece */
	char kernel[TOOL_KERNEL_MAX];         /* the last one named */
	bool apart;                           /* what begins next is not of the run before */
	size_t count;                         /* of pieces that were kept */
	uint64_t rows;                        /* of pieces that have ended */
	bool failed, many_reported;
	bool in_string; /* the piece is in strings */
	uint32_t sum;   /* of its text then */
	char row[1024]; /* without a remark */
	struct {
		uint32_t sum; /* of a piece in strings; else 0 */
		uint64_t line;
	} kept[TOOL_PIECES_MAX];
};

/* What begins in a line: a piece of a format; or, with none, a `# noisefloor:` line. */
struct tool_opening {
	const struct tool_format *format;
	const char *at; /* where; NULL: nothing does */
};

/* The first. */
struct tool_opening tool_piece_opening(const struct tool_pieces *f, const char *line);

/* A line of the piece's format, should it not be of the piece: another may begin with it. */
struct tool_opening tool_piece_opening_apart(const struct tool_pieces *f, const char *line);

/* A line of the log, as it stands there: a command line separates runs. */
void tool_piece_separate(struct tool_pieces *f, const char *line);

/* Lines so far that gave figures. */
uint64_t tool_piece_rows(const struct tool_pieces *f);

/* Begin a piece of that format, at parse.line; what came before it ends. */
void tool_piece_start(struct tool_pieces *f, const struct tool_format *format);

/* Take a line; what begins in it begins, unless it is `begun`: that has been found, and started. */
void tool_piece_take(struct tool_pieces *f, const char *line, bool begun);

/* The piece, if there is one, has ended: keep what has figures. */
void tool_piece_end(struct tool_pieces *f);

/* The piece was only tried: as if it had not begun. */
void tool_piece_abandon(struct tool_pieces *f);

/* Something about the file that is no fault of a line: also where a line is only tried. */
void tool_piece_remark(const struct tool_pieces *f, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
