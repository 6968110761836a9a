/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines become pieces; the first line that only one format has decides a piece's. */
#include "tool_piece.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "tool_formats.h"
#include "tool_redraw.h"
#include "trace_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORTS_MAX  20 /* complaints about one piece; the rest are counted */
#define QUOTED_BYTES 60 /* of a line, in a complaint */

void tool_report(struct tool_parse *p, const char *format, ...)
{
	char text[512];
	va_list args;

	p->tool->wrong++;
	if (p->reports++ >= REPORTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_sanitize(text);
	p->complain(p->ctx, p->tool->file, p->line, text);
}

void tool_wrong(struct tool_parse *p, const char *line, const char *wanted)
{
	p->tool->notes |= TOOL_DAMAGED;
	line += strspn(line, " ");
	tool_report(p, "%s: not understood: \"%.*s%s\"; wanted: %s", p->format->name, QUOTED_BYTES,
		    line, strlen(line) > QUOTED_BYTES ? "..." : "", wanted);
}

void tool_cut(struct tool_parse *p, const char *before)
{
	p->tool->notes |= TOOL_CUT;
	tool_report(p, "%s: truncated before its %s", p->format->name, before);
}

static void free_piece(struct tool *piece)
{
	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].bin);
		free(piece->core[i].offender);
		free(piece->core[i].more);
	}
	free(piece->core);
	for (size_t i = 0; i < piece->services; i++)
		free(piece->service[i].own);
	free(piece->service);
}

void tool_free(struct tool_list *tools)
{
	for (size_t i = 0; i < tools->count; i++)
		free_piece(&tools->at[i]);
	free(tools->at);
	*tools = (struct tool_list){ 0 };
}

bool tool_choose(struct tool_list *tools, uint64_t n)
{
	struct tool chosen;

	if (!n || n > tools->count)
		return false;
	chosen = tools->at[n - 1];
	for (size_t i = 0; i < tools->count; i++) {
		if (i != n - 1)
			free_piece(&tools->at[i]);
	}
	tools->at[0] = chosen;
	tools->count = 1;
	return true;
}

void tool_piece_remark(const struct tool_pieces *f, uint64_t number, const char *format, ...)
{
	char text[240];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_sanitize(text);
	f->parse.complain(f->parse.ctx, f->file, number, text);
}

/* ---- Begin and end ---- */

/* The table of the last piece, drawn again, takes its place. */
static void follow(struct tool_pieces *f)
{
	struct tool *last = f->count ? &f->tools->at[f->tools->count - 1] : NULL;

	if (!last || f->apart || !f->parse.format->sums || !tool_redraw_follows(last, &f->piece))
		return;
	tool_redraw_take_over(&f->piece, last);
	f->tools->count--;
	f->count--;
}

static void keep_piece(struct tool_pieces *f)
{
	struct tool *piece = &f->piece;

	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].more);
		piece->core[i].more = NULL;
	}
	tool_sort_cores(piece);
	*MEMORY_ADD(f->tools->at, f->tools->count) = *piece;
	f->count++;
}

void tool_piece_end(struct tool_pieces *f)
{
	struct tool_parse *p = &f->parse;

	if (!p->format)
		return;
	if (p->format->finish)
		p->format->finish(p);
	follow(f);
	f->apart = false;
	tool_stated_apply(p, &f->tools->given);
	if (!f->piece.cores && !p->reports)
		tool_report(p, "%s: no figures in it", p->format->name);
	if (p->reports > REPORTS_MAX)
		p->complain(p->ctx, f->piece.file, 0, "further lines could not be read");
	if (!f->torn && f->piece.notes & TOOL_DAMAGED)
		f->torn = f->piece.line;
	if (f->piece.cores) {
		keep_piece(f);
	} else {
		f->failed = true;
		free_piece(&f->piece);
	}
	free(p->state);
	p->state = NULL;
	p->format = NULL;
}

static bool is_too_many(struct tool_pieces *f)
{
	if (f->count < TOOL_PIECES_MAX)
		return false;
	if (!f->many_reported)
		tool_piece_remark(f, 0, "more than %d outputs in one file: the rest is left out",
				  TOOL_PIECES_MAX);
	return f->many_reported = f->failed = true;
}

static void start_piece(struct tool_pieces *f, const struct tool_format *format)
{
	struct tool_parse *p = &f->parse;
	struct tool *piece = &f->piece;

	/* Drawn again before it had anything. */
	if (format->sums && p->format == format && !piece->cores && !p->reports)
		return;
	tool_piece_end(f);
	if (is_too_many(f))
		return;
	*piece = (struct tool){ .line = f->has_stated ? f->stated_line : p->line,
				.tool = format->name,
				.notes = format->notes };
	snprintf(piece->file, sizeof(piece->file), "%s", f->file);
	if (f->has_stated)
		piece->stated = f->stated;
	f->has_stated = false;
	tool_command_apply(&f->command, format, &piece->stated);
	memcpy(piece->command, f->command.text, sizeof(piece->command));
	f->command = (struct tool_command){ .tool = NULL };
	p->format = format;
	p->given = &f->tools->given;
	p->reports = 0;
	p->state = format->state_bytes ? memory_new(1, format->state_bytes) : NULL;
	if (format->start)
		format->start(p);
}

/* ---- Which format a line is of ---- */

static enum tool_match find(const struct tool_format *format, const char *line, const char **at)
{
	if (format->find)
		return format->find(line, at);
	*at = tool_frame_word(line, format->opening);
	return tool_match_at(*at, TOOL_OPENING);
}

/*
 * The first output that begins in this line, and where; NULL: none. f->body is where a row of the
 * piece begins, if the line has one.
 */
static const struct tool_format *find_format(struct tool_pieces *f, const char *line,
					     const char **at)
{
	const struct tool_format *now = f->parse.format, *first = NULL;
	const char *found;

	f->body = NULL;
	for (size_t i = 0; i < tool_formats_count; i++) {
		const struct tool_format *format = tool_formats[i];
		enum tool_match match = find(format, line, &found);

		if (match == TOOL_BODY && format == now)
			f->body = found;
		if (match == TOOL_NO || (match == TOOL_TITLE && format == now) ||
		    (match == TOOL_BODY && now &&
		     (format == now || (now->mixed && format->mixed))) ||
		    (first && *at <= found))
			continue;
		first = format;
		f->untitled = match == TOOL_BODY;
		*at = found;
	}
	return first;
}

/* ---- What is refused ---- */

static void refuse(struct tool_pieces *f, const char *why)
{
	if (!f->torn)
		tool_piece_remark(f, f->parse.line, "%s", why);
	f->torn = f->torn ? f->torn : f->parse.line;
}

#define ESCAPES 7 /* of a string, of JSON or of syslog; its end is behind them */

/* These, and what pages and mails put into a row. */
static void check_encoded(struct tool_pieces *f, const char *line)
{
	static const char *const marks[] = { "\\n",  "\\t", "\\u0", "\\x1b", "\\\"",    "#012",
					     "#033", "\"}", "&lt;", "&gt;",  "&nbsp;",  "&#",
					     "<br",  "<td", "</",   "**",    "\xc2\xa0" };
	const struct tool_format *now = f->parse.format;
	size_t count = now == &tool_rt_json  ? ESCAPES
		       : now && now->encoded ? ESCAPES + 1
					     : sizeof(marks) / sizeof(marks[0]);

	for (size_t i = 0; i < count; i++) {
		if (strstr(line, marks[i])) {
			refuse(f, "the output is in a string, a page or a mail, which changed it");
			return;
		}
	}
	if (count > ESCAPES + 1 && *line && line[strlen(line) - 1] == '=' && !strstr(line, "=="))
		refuse(f, "the line ends in =, as in a mail that is quoted-printable");
}

/* A line that begins like the rest of a row: with a number, or with what separates some. */
static bool is_rest(const char *at)
{
	return (*at && strchr("0123456789,|)]%", *at)) ||
	       (*at == '.' && isdigit((unsigned char)at[1]));
}

static bool has_letter(const char *at)
{
	while (*at && !isalpha((unsigned char)*at))
		at++;
	return *at;
}

/*
 * A row may end where a terminal, or a mail's program, broke it: what follows it then is numbers,
 * or fields that a row may end in, and no row.
 */
static void check_broken(struct tool_pieces *f, const char *line)
{
	static const char *const fields[] = { "count:", "nmi-", "SMI:", "interference", NULL };
	const char *at = line + strspn(line, " >");
	bool goes_on = is_rest(at) && (!f->row_is_alike || !has_letter(at));

	if (f->row_line + 1 != f->parse.line)
		return;
	for (const char *const *field = fields; *field && !goes_on; field++)
		goes_on = strncmp(at, *field, strlen(*field)) == 0;
	if (goes_on)
		refuse(f, "the row before this line goes on in it: it was broken");
}

/* Rows of two writers alternate: A, B, and A again. */
static void check_writers(struct tool_pieces *f, const char *line, const char *at)
{
	char prefix[TOOL_FRAME_PREFIX_MAX];

	line += strspn(line, " ");
	snprintf(prefix, sizeof(prefix), "%.*s", at > line ? (int)(at - line) : 0, line);
	if (f->untitled && *prefix && strcmp(prefix, f->writers[1]) == 0 &&
	    strcmp(prefix, f->writers[0]) != 0)
		refuse(f, "lines of several writers alternate: save the output of each");
	if (strcmp(prefix, f->writers[0]) == 0)
		return;
	memcpy(f->writers[1], f->writers[0], sizeof(prefix));
	memcpy(f->writers[0], prefix, sizeof(prefix));
}

/* ---- Lines ---- */

static void take_stated(struct tool_pieces *f, const char *line)
{
	struct tool_stated stated = { 0 };
	bool good;

	tool_piece_end(f);
	f->piece.wrong = 0;
	f->parse.reports = 0;
	good = tool_stated_read(&f->parse, line, &stated);
	f->stated = stated;
	f->stated_line = f->parse.line;
	f->has_stated = f->apart = true;
	f->failed = f->failed || !good;
	if (stated.hz.known)
		start_piece(f, &tool_fwq);
}

/* [   35.814714] as the kernel begins a line on its console. */
static bool is_kernel_line(const char *line)
{
	const char *at = line;
	uint64_t number;

	if (scan_literal(&at, "<") && (!scan_u64(&at, &number) || !scan_literal(&at, ">")))
		return false;
	return scan_literal(&at, "[") && scan_u64(&at, &number) && *at == '.' &&
	       strspn(at + 1, "0123456789") == 6 && at[7] == ']';
}

/* The piece's part of a line. What is behind its end; NULL: none. */
static const char *take_line(struct tool_pieces *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	uint64_t rows = f->piece.rows, reports = p->reports;
	const char *at;

	if (is_kernel_line(line) && find(p->format, line, &at) == TOOL_NO &&
	    !(p->format->trace && trace_is_record(line)))
		return NULL;
	p->rest = NULL;
	p->format->parse(p, line);
	if (f->piece.notes & TOOL_DAMAGED && p->reports > reports && !f->torn)
		f->torn = p->line;
	if (f->piece.rows > rows) {
		f->row_line = p->line;
		f->row_is_alike = is_rest(line + strspn(line, " >"));
	} else if (!p->rest) {
		check_broken(f, line);
	}
	check_encoded(f, line);
	if (p->rest)
		tool_piece_end(f);
	return p->rest;
}

/* A command separates runs; a tool's is that of the next piece, wherever it stands. */
static bool take_command(struct tool_pieces *f, const char *line)
{
	const struct tool_format *now = f->parse.format;
	struct tool_command c;

	bool apart = !now || now->bare || now->sums || now->trace;

	if (!tool_command_read(line, &c) || (!apart && !c.tool))
		return false;
	if (c.tool)
		f->command_line = f->parse.line;
	/* Somebody may type while a trace is printed: only what prints one again ends it. */
	if (!apart || (now && now->trace && !strstr(c.text, "trace"))) {
		if (c.tool)
			f->command = c;
		return false;
	}
	if (!now || f->piece.rows)
		tool_piece_end(f);
	f->apart = true;
	/* A prompt alone leaves the command before it in force. */
	if (c.text[0])
		f->command = c;
	return true;
}

/* The line with `line`'s opening begins a piece; what follows its end may begin another. */
static void begin(struct tool_pieces *f, const struct tool_format *format, const char *line,
		  const char *at)
{
	check_writers(f, line, at);
	start_piece(f, format);
	if (!f->parse.format)
		return;
	tool_frame_begin(&f->frame, line, at);
	f->row_line = 0;
	at = take_line(f, at);
	if (at && *at)
		tool_piece_take(f, f->parse.line, at);
}

void tool_piece_take(struct tool_pieces *f, uint64_t number, const char *line)
{
	static struct tool_columns unnamed;
	const struct tool_format *format;
	const char *at = tool_frame_word(line, TOOL_STATED_MARK), *mine;

	f->parse.line = number;
	if (at) {
		take_stated(f, at);
		return;
	}
	take_command(f, line);
	format = find_format(f, line, &at);
	if (!format && !f->parse.format && tool_columns_unnamed(&unnamed, line)) {
		format = tool_command_untitled(&f->command);
		at = line;
	}
	/* It may go on in the next line, broken within a number. */
	if (!format && f->command_line + 1 == number && is_rest(line))
		f->command.odd = true;
	if (format) {
		begin(f, format, line, at);
		return;
	}
	if (!f->parse.format)
		return;
	mine = tool_frame_peel(&f->frame, line);
	/* A row behind another prefix is another writer's; of a trace `body` is the line. */
	if (f->body && (!mine || (f->body != line && f->body != mine + strspn(mine, " ")))) {
		f->untitled = true;
		begin(f, f->parse.format, line, f->body);
		return;
	}
	if (!mine) {
		check_broken(f, line);
		return;
	}
	line = take_line(f, mine);
	if (line && *line)
		tool_piece_take(f, number, line);
}
