/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log becomes the lines of what was printed. What was done to them on the way here is undone in
 * reverse order:
 *
 *   bytes    lines (host/capture/line_splitter.h), without escapes, and without blanks at their end
 *   rows     wrap (tool_wrap.h): a line that a terminal broke; kept back until it is known whether
 *            it makes sense with the rows that follow
 *   prefix,  frame (tool_frame.h): what stands before a line, or the string that it is in; learned
 *   string   from the line in which a piece begins, and good until another does
 *   line     piece (tool_piece.h)
 *
 * Between pieces rows are joined only from one in which something begins, and there is no frame.
 * Records are not among these: their checksum proves where they end, so the reader joins them.
 */
#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "host/capture/line_splitter.h"
#include "host/lib/memory.h"
#include "host/tools/text/tool_markup.h"
#include "tool_feed.h"
#include "tool_frame.h"
#include "tool_piece.h"
#include "tool_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUOTED_BYTES 60 /* of a line, in a complaint */

/* A file on its way. */
struct tool_feed {
	struct capture capture; /* of our own records, which may be among the lines */
	struct line_splitter lines;
	struct tool_wrap wrap;
	struct tool_frame frame; /* of the piece */
	struct tool_pieces pieces;

	uint64_t bytes, line;
	size_t widest;
	bool overlong, binary_reported;
	char pending[TOOL_LINE_MAX + 1]; /* a line that fills it is too long */
	char clean[TOOL_LINE_MAX + 1];
	char plain[TOOL_LINE_MAX + 1]; /* unescaped */
	char first[QUOTED_BYTES + 1];  /* line that was not empty */
};

/* The output's part of a line; in a string it is lines of its own. `begun` as tool_piece_take(). */
static void undress(struct tool_feed *f, const char *text, bool begun)
{
	char *line = f->plain, *end;

	if (!tool_frame_is_escaped(&f->frame, text)) {
		tool_piece_take(&f->pieces, text, begun);
		return;
	}
	tool_frame_unescape(&f->frame, text, f->plain);
	for (; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		line[line_strip(line, strlen(line), line)] = '\0';
		tool_piece_take(&f->pieces, line, begun);
		begun = false;
	}
}

static void open_dressed(struct tool_feed *f, const char *line, const struct tool_opening *o)
{
	if (o->format)
		tool_piece_start(&f->pieces, o->format);
	tool_frame_begin(&f->frame, line, o->at);
	f->pieces.in_string = f->frame.quote;
	undress(f, o->at, o->format);
}

/* More precedes the format's part of this line than in the piece: it is quoted once more. */
static bool is_elsewhere(const struct tool_feed *f, const char *text)
{
	const struct tool_format *now = f->pieces.parse.format;
	const char *at;

	if (f->frame.quote || (!now->bare && !now->sums))
		return false;
	at = tool_piece_opening_apart(&f->pieces, text).at;
	return at && strspn(text, " ") < (size_t)(at - text);
}

/* What begins in the line; else *at is what of it is the piece's, NULL if nothing is. */
static struct tool_opening find_opening(struct tool_feed *f, const char *line, const char **at)
{
	struct tool_opening o = tool_piece_opening(&f->pieces, line);

	*at = NULL;
	if (o.at || !f->pieces.parse.format)
		return o;
	*at = tool_frame_peel(&f->frame, line);
	if (!*at || is_elsewhere(f, *at))
		o = tool_piece_opening_apart(&f->pieces, line);
	return o;
}

static void take_dressed(struct tool_feed *f, const char *line)
{
	struct tool_parse *p = &f->pieces.parse;
	const char *at;
	struct tool_opening o = find_opening(f, line, &at);

	tool_command_read(line, strlen(line) == f->wrap.columns, &f->pieces.command);
	if (o.format && p->try && p->format)
		p->refused = true;
	else if (o.at)
		open_dressed(f, line, &o);
	else if (at)
		undress(f, at, false);
	else if (p->format && f->frame.closed && !f->frame.bytes)
		tool_piece_end(&f->pieces);
}

/* A command line is known behind what stands before each line, too. */
static const char *without_prefix(struct tool_feed *f, const char *line)
{
	const char *at = NULL;

	if (f->pieces.parse.format && f->frame.learned && !f->frame.quote)
		at = tool_frame_peel(&f->frame, line);
	return at ? at : line;
}

/* A line of the log, for tool_wrap.h. */
static enum tool_wrap_result offer(void *ctx, const char *line, uint64_t number, bool try)
{
	struct tool_feed *f = ctx;
	struct tool_parse *p = &f->pieces.parse;
	bool was_idle = !p->format;
	uint64_t rows = tool_piece_rows(&f->pieces);

	p->line = number;
	p->try = try;
	p->refused = false;
	if (!try)
		tool_piece_separate(&f->pieces, without_prefix(f, line));
	take_dressed(f, line);
	p->try = false;
	if (!p->refused && tool_piece_rows(&f->pieces) > rows)
		return TOOL_WRAP_TAKEN;
	if (try && was_idle && p->format)
		tool_piece_abandon(&f->pieces);
	return p->refused ? TOOL_WRAP_REFUSED : TOOL_WRAP_IGNORED;
}

/* Something, and not only the same table once more. Of a broken row no frame is learned. */
static bool begins(struct tool_feed *f, const char *line)
{
	const struct tool_format *now = f->pieces.parse.format;
	struct tool_opening o = tool_piece_opening(&f->pieces, line);
	const char *at;

	if (o.at)
		return !o.format || o.format != now || !now->sums;
	return now && f->frame.learned && find_opening(f, line, &at).at;
}

/* In a piece each line may be broken, elsewhere only one in which something begins. */
static void take_row(struct tool_feed *f, const char *line)
{
	struct tool_parse *p = &f->pieces.parse;
	size_t bytes = strlen(line);
	bool opens = false;

	if (!f->first[0] && !scan_end(line))
		snprintf(f->first, sizeof(f->first), "%s", line + strspn(line, " "));
	if (strstr(line, LINE_MARK) || line_find_escaped(line, strlen(line)))
		return; /* a record: the reader's */
	p->wide = f->wrap.columns && bytes == f->wrap.columns;
	if (tool_wrap_may_break(&f->wrap, bytes) && begins(f, line)) {
		/* Unless what was kept back has begun it. */
		tool_wrap_end(&f->wrap);
		opens = begins(f, line);
	}
	if (opens)
		tool_piece_end(&f->pieces);
	tool_wrap_add(&f->wrap, line, f->line,
		      f->wrap.columns &&
			      (opens || (p->format && !p->format->whole && !f->frame.quote)));
}

static void check_binary(struct tool_feed *f, const char *bytes, size_t count)
{
	if (f->binary_reported || !memchr(bytes, '\0', count))
		return;
	f->binary_reported = true;
	f->pieces.parse.line = f->line;
	tool_report(&f->pieces.parse, "binary data; outputs of tools are text");
}

/* To f->clean. Some terminals copy the blanks, too. */
static void clean(struct tool_feed *f, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		f->clean[i] = bytes[i] == '\t' ? ' ' : bytes[i];
	count = line_strip(f->clean, count, f->clean);
	count = tool_markup_undo(f->clean, count);
	while (count && f->clean[count - 1] == ' ')
		count--;
	f->clean[count] = '\0';
	f->widest = arith_max(f->widest, count);
}

/* For line_splitter.h. */
static size_t take_bytes(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	struct tool_feed *f = ctx;

	f->line += !f->overlong;
	check_binary(f, bytes, count);
	f->overlong = f->overlong || goes_on || count > TOOL_LINE_MAX;
	if (goes_on)
		return 0;
	if (f->overlong) {
		f->pieces.parse.line = f->line;
		tool_report(&f->pieces.parse, "a line of more than %d bytes", TOOL_LINE_MAX);
		f->widest = TOOL_LINE_MAX;
		f->pieces.piece.notes |= TOOL_DAMAGED;
	} else {
		clean(f, bytes, count);
		take_row(f, f->clean);
	}
	f->overlong = false;
	return 0;
}

void tool_feed(struct tool_feed *f, const char *bytes, size_t count)
{
	f->bytes += count;
	line_splitter_feed(&f->lines, bytes, count);
	capture_feed(&f->capture, bytes, count);
}

struct tool_feed *tool_feed_new(struct tool_list *tools, const char *name, size_t columns,
				tool_complain *complain, void *ctx)
{
	struct tool_feed *f = memory_new(1, sizeof(*f));
	struct tool_pieces *p = &f->pieces;

	f->lines = (struct line_splitter){
		.line = take_bytes, .ctx = f, .text = f->pending, .room = sizeof(f->pending)
	};
	f->wrap.offer = offer;
	f->wrap.columns = columns;
	f->wrap.ctx = f;
	p->tools = tools;
	p->file = name;
	p->parse = (struct tool_parse){ .tool = &p->piece, .complain = complain, .ctx = ctx };
	snprintf(p->piece.file, sizeof(p->piece.file), "%s", name);
	tool_records_begin(&f->capture, name, complain, ctx);
	return f;
}

/* No known output in it: report what is there instead. */
static void report_unknown(struct tool_feed *f)
{
	struct tool_parse *p = &f->pieces.parse;

	f->pieces.failed = true;
	p->line = 0;
	if (!f->bytes) {
		tool_report(p, "empty");
		return;
	}
	tool_report(p, "no known output in %llu bytes, which begin \"%s\"; known: " TOOL_KNOWN,
		    (unsigned long long)f->bytes, f->first);
}

struct tool_feed_lines tool_feed_end(struct tool_feed *f)
{
	struct tool_pieces *p = &f->pieces;
	struct tool_feed_lines lines;
	bool records;

	capture_end(&f->capture);
	line_splitter_end(&f->lines);
	tool_wrap_end(&f->wrap);
	tool_piece_end(p);
	records = tool_records_add(p->tools, &f->capture);
	lines = (struct tool_feed_lines){ f->widest, f->wrap.joined };
	if (f->wrap.joined)
		tool_piece_remark(
			p, 0, "%llu lines were broken at %zu columns, as a terminal does: joined",
			(unsigned long long)f->wrap.joined, f->wrap.columns);
	p->parse.reports = 0;
	p->parse.line = p->stated_line;
	if (p->has_stated)
		tool_report(&p->parse, "no output follows that this line could describe");
	if (!p->count && !records && !p->failed)
		report_unknown(f);
	p->tools->failed = p->tools->failed || p->failed;
	capture_close(&f->capture);
	free(f);
	return lines;
}
