/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file becomes lines, and these become outputs of tools (tool_piece.h), in one pass. Of a line
 * terminal escapes and blanks at its end are left out; lines of our own records are the reader's.
 * A file of which any line of an output cannot be read is refused, and none of it is read.
 */
#include "tool.h"

#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "tool_formats.h"
#include "tool_piece.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_BYTES  ((size_t)1 << 20)
#define QUOTED_BYTES 60 /* of a line, in a complaint */

struct feed {
	struct capture capture; /* of our own records, which may be among the lines */
	struct line_splitter lines;
	struct tool_pieces pieces;
	uint64_t bytes, line;
	bool overlong, binary_reported;
	char pending[TOOL_LINE_MAX + 1]; /* a line that fills it is too long */
	char clean[TOOL_LINE_MAX + 1];
	char first[QUOTED_BYTES + 1]; /* line that was not empty */
};

/* The whole file is refused; the sentence about this line is its reason. */
static void refuse(struct feed *f, const char *why)
{
	if (!f->pieces.torn)
		tool_piece_remark(&f->pieces, f->line, "%s", why);
	f->pieces.torn = f->pieces.torn ? f->pieces.torn : f->line;
}

/* What a mail's head, or a page, has before all that is encoded in it. */
static void check_document(struct feed *f, const char *line)
{
	static const char mail[] = "Content-Transfer-Encoding:";

	if (strncasecmp(line, mail, strlen(mail)) == 0 &&
	    (strstr(line, "quoted-printable") || strstr(line, "base64")))
		refuse(f, "a mail as it is transferred, in which the text is encoded");
	else if (strstr(line, "<html") || strstr(line, "<pre") || strstr(line, "<table"))
		refuse(f, "a page of HTML, not a text");
}

static void take_line(struct feed *f, const char *line)
{
	if (!f->first[0] && !scan_end(line))
		snprintf(f->first, sizeof(f->first), "%s", line + strspn(line, " "));
	if (strstr(line, LINE_MARK))
		return;
	check_document(f, line);
	tool_piece_take(&f->pieces, f->line, line);
	if (!scan_end(line))
		snprintf(f->pieces.parse.before, sizeof(f->pieces.parse.before), "%.*s",
			 (int)sizeof(f->pieces.parse.before) - 1, line);
}

/* To f->clean. "^C" is what a terminal shows where somebody ended a tool. */
static void clean(struct feed *f, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		f->clean[i] = bytes[i] == '\t' ? ' ' : bytes[i];
	count = line_strip(f->clean, count, f->clean);
	while (count && f->clean[count - 1] == ' ')
		count--;
	if (count >= 2 && memcmp(f->clean + count - 2, "^C", 2) == 0)
		count -= 2;
	f->clean[count] = '\0';
}

/* For line_splitter.h. */
static size_t take_bytes(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	struct feed *f = ctx;

	f->line += !f->overlong;
	if (!f->binary_reported && memchr(bytes, '\0', count)) {
		f->binary_reported = true;
		refuse(f, "binary data; outputs of tools are text");
	}
	f->overlong = f->overlong || goes_on || count > TOOL_LINE_MAX;
	if (goes_on)
		return 0;
	if (f->overlong) {
		refuse(f, "a line of more than a mebibyte");
	} else {
		clean(f, bytes, count);
		take_line(f, f->clean);
	}
	f->overlong = false;
	return 0;
}

static void feed(struct feed *f, const char *bytes, size_t count)
{
	f->bytes += count;
	line_splitter_feed(&f->lines, bytes, count);
	capture_feed(&f->capture, bytes, count);
}

static struct feed *feed_new(struct tool_list *tools, const char *name, tool_complain *complain,
			     void *ctx)
{
	struct feed *f = memory_new(1, sizeof(*f));
	struct tool_pieces *p = &f->pieces;

	f->lines = (struct line_splitter){
		.line = take_bytes, .ctx = f, .text = f->pending, .room = sizeof(f->pending)
	};
	p->tools = tools;
	p->file = name;
	p->parse = (struct tool_parse){ .tool = &p->piece, .complain = complain, .ctx = ctx };
	snprintf(p->piece.file, sizeof(p->piece.file), "%s", name);
	tool_records_begin(&f->capture, name, complain, ctx);
	return f;
}

/* ---- The end ---- */

/* No known output in it: report what is there instead. */
static void report_unknown(struct feed *f)
{
	f->pieces.failed = true;
	if (!f->bytes)
		tool_piece_remark(&f->pieces, 0, "empty");
	else
		tool_piece_remark(&f->pieces, 0,
				  "no known output in %llu bytes, which begin \"%s\"",
				  (unsigned long long)f->bytes, f->first);
}

/* Of the file, whose pieces begin at number `first`, none is kept. */
static void drop_all(struct tool_pieces *p, size_t first)
{
	struct tool_list file = { .at = NULL };

	for (size_t i = first; i < p->tools->count; i++)
		*MEMORY_ADD(file.at, file.count) = p->tools->at[i];
	p->tools->count = first;
	tool_free(&file);
	tool_piece_remark(p, p->torn,
			  "this line cannot be read, so that nothing of the file is: save the "
			  "tool's own output, as it printed it");
	p->failed = true;
}

/* In the order of the file: our own records are known at its end only. */
static void sort_pieces(struct tool_list *tools, size_t first)
{
	for (size_t i = first + 1; i < tools->count; i++) {
		struct tool piece = tools->at[i];
		size_t n = i;

		for (; n > first && tools->at[n - 1].line > piece.line; n--)
			tools->at[n] = tools->at[n - 1];
		tools->at[n] = piece;
	}
}

/* The file has ended; its pieces begin at number `first`. */
static void feed_end(struct feed *f, size_t first)
{
	struct tool_pieces *p = &f->pieces;
	bool records;

	capture_end(&f->capture);
	line_splitter_end(&f->lines);
	tool_piece_end(p);
	records = tool_records_add(p->tools, &f->capture);
	sort_pieces(p->tools, first);
	p->parse.reports = 0;
	p->parse.line = p->stated_line;
	if (p->has_stated)
		tool_report(&p->parse, "no output follows that this line could describe");
	if (p->torn && (p->count || p->failed))
		drop_all(p, first);
	else if (!p->count && !records && !p->failed)
		report_unknown(f);
	p->tools->failed = p->tools->failed || p->failed;
	capture_close(&f->capture);
	free(f);
}

void tool_read_text(struct tool_list *tools, const struct tool_text *file, tool_complain *complain,
		    void *ctx)
{
	size_t first = tools->count;
	struct feed *f = feed_new(tools, file->name, complain, ctx);

	feed(f, file->text, file->bytes);
	feed_end(f, first);
}

void tool_read(struct tool_list *tools, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	size_t count, first = tools->count;
	struct input in;
	struct feed *f;

	if (!input_open(&in, path)) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
		return;
	}
	f = feed_new(tools, in.name, complain, ctx);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0)
		feed(f, chunk, count);
	feed_end(f, first);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
	}
	input_close(&in);
}
