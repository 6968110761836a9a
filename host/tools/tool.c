/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file becomes lines, and these become outputs of tools, in one pass. Of a line terminal escapes
 * and blanks at its end are left out; lines of our own records are the reader's. One piece is read
 * at a time, until another begins; a command line and a `# noisefloor:` line are of the next one.
 * A file of which any line of an output cannot be read is refused, and none of it is read.
 */
#include "tool.h"

#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "tool_format.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_BYTES  ((size_t)1 << 20)
#define QUOTED_BYTES 60 /* bytes of a line in a complaint */

struct reader {
	struct tool_list *tools;
	const char *file;
	struct capture *capture; /* noisefloor's own records, which may be among the lines */
	struct line_splitter lines;
	uint64_t bytes, line;
	bool overlong, binary;
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	size_t count;              /* pieces that were kept */
	bool failed;               /* complained of */
	uint64_t refused;          /* the first line for which the file is refused; 0: none */
	struct tool_stated stated; /* for the next piece, from this line; 0: none */
	uint64_t stated_line;
	struct tool_command command; /* for the next piece, from this line */
	uint64_t command_line;
	struct tool_frame frame;               /* frame of the piece */
	char writer[2][TOOL_FRAME_PREFIX_MAX]; /* prefixes of the piece and of the one before */
	const struct tool_format *cleared;     /* format that was read when a screen was cleared */
	uint64_t row_line;                     /* the last line that gave figures */
	bool row_is_alike;                     /* true if that line begins as other rows may */
	char first[QUOTED_BYTES + 1];          /* line that was not empty */
	char pending[TOOL_LINE_MAX + 1];       /* a line that fills it is too long */
	char clean[TOOL_LINE_MAX + 1];
};

/* ---- Complaints ---- */

void tool_remark(struct tool_parse *p, uint64_t line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_sanitize(text);
	p->complain(p->ctx, p->tool->file, line, text);
}

/* A pattern for people: N is a number, and what may be anything is dots. */
static void tool_describe(struct text *t, const char *pattern)
{
	for (const char *at = pattern; *at; at++) {
		if (*at == '*') {
			text_add(t, "...");
		} else if (*at == '@') {
			text_add(t, "N N ...");
			at += isalnum((unsigned char)at[1]) != 0;
		} else if (*at == '%') {
			text_add(t, "%s", *++at == '%' ? "%" : *at == '!' ? "" : "N");
			if (at[1] == '(' && *at != '%')
				at += strcspn(at, ")");
		} else if (!strchr("{}$", *at)) {
			text_char(t, *at);
		}
	}
}

void tool_wrong(struct tool_parse *p, const char *line, const char *wanted)
{
	TEXT_DEFINE(t, 240);

	tool_describe(&t, wanted);
	p->tool->notes |= TOOL_DAMAGED;
	line += strspn(line, " ");
	tool_report(p, "%s: not understood: \"%.*s%s\"; wanted: %s", p->format->name, QUOTED_BYTES,
		    line, strlen(line) > QUOTED_BYTES ? "..." : "", t.buf);
}

void tool_cut(struct tool_parse *p, const char *before)
{
	p->tool->notes |= TOOL_CUT;
	tool_report(p, "%s: truncated before its %s", p->format->name, before);
}

/* The whole file is refused; the sentence about this line is its reason. */
static void tool_refuse(struct reader *r, const char *why)
{
	if (r->refused)
		return;
	tool_remark(&r->parse, r->line, "%s", why);
	r->refused = r->line;
}

/* A screen that was cleared may continue an output, or show it again. */
static void check_redrawn(struct reader *r, const struct tool_format *format)
{
	if (r->cleared == format)
		tool_refuse(
			r,
			"a screen is drawn again here: save what the tool prints into a file, of "
			"rtla with -q");
	r->cleared = NULL;
}

/* ---- Begin and end of a piece ---- */

static void free_piece(struct tool *piece)
{
	for (size_t i = 0; i < piece->cores; i++)
		free(piece->core[i].offender);
	free(piece->core);
}

/* A core has all its rows. What the format does not print, or cannot have, was none. */
static void end_core(const struct tool_format *format, struct tool_core *core)
{
	free(core->more);
	core->more = NULL;
	if (format->complete)
		tool_count_none(core);
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		if (format->without & 1u << c)
			range_count_none(&core->cause_ns[c]);
	}
}

static void end_piece(struct reader *r)
{
	struct tool_parse *p = &r->parse;

	if (!p->format)
		return;
	if (p->format->finish)
		p->format->finish(p);
	tool_stated_apply(p);
	for (size_t i = 0; i < r->piece.cores; i++)
		end_core(p->format, &r->piece.core[i]);
	if (!r->piece.cores && !p->reports)
		tool_report(p, "%s: no figures in it", p->format->name);
	if (p->reports > TOOL_REPORTS_MAX)
		tool_remark(&r->parse, 0, "further lines could not be read");
	if (!r->refused && r->piece.notes & TOOL_DAMAGED)
		r->refused = r->piece.line;
	if (r->piece.cores) {
		tool_sort_cores(&r->piece);
		*MEMORY_ADD(r->tools->at, r->tools->count) = r->piece;
		r->count++;
	} else {
		r->failed = true;
		free_piece(&r->piece);
	}
	free(p->state);
	p->state = NULL;
	p->format = NULL;
}

/* Begin no piece past TOOL_PIECES_MAX. */
static void begin_piece(struct reader *r, const struct tool_format *format)
{
	struct tool_parse *p = &r->parse;
	struct tool *piece = &r->piece;

	check_redrawn(r, format);
	end_piece(r);
	if (r->count == TOOL_PIECES_MAX) {
		tool_refuse(r, "more than 4096 outputs in one file: split it");
		return;
	}
	*piece = (struct tool){ .line = r->stated_line ? r->stated_line : r->line,
				.tool = format->name,
				.notes = format->notes,
				.stated = r->stated };
	snprintf(piece->file, sizeof(piece->file), "%s", r->file);
	tool_command_apply(&r->command, format, &piece->stated);
	memcpy(piece->command, r->command.text, sizeof(piece->command));
	r->stated = (struct tool_stated){ 0 };
	r->command = (struct tool_command){ 0 };
	r->stated_line = 0;
	p->format = format;
	p->floor_ns = r->tools->floor_ns;
	p->reports = 0;
	p->state = format->state_bytes ? memory_new(1, format->state_bytes) : NULL;
	memset(&p->v, 0xff, sizeof(p->v)); /* TOOL_NONE */
}

/* ---- What a line is ---- */

/* The first place of any of these patterns; NULL: nowhere. */
static const char *find_first(const char *line, const char *const patterns[TOOL_BODY_MAX])
{
	const char *at = NULL;

	for (size_t i = 0; i < TOOL_BODY_MAX && patterns[i]; i++) {
		const char *found = tool_scan_word(line, patterns[i]);

		at = found && (!at || found < at) ? found : at;
	}
	return at;
}

const char *tool_find_body(const struct tool_format *format, const char *line)
{
	const char *at = find_first(line, format->body);

	return at && format->trace ? (*line == '#' ? NULL : line) : at;
}

/*
 * The first output that begins in this line, and where; NULL: none. *body is where a row of the
 * piece in hand is that could begin an output, or NULL.
 */
static const struct tool_format *find_format(const struct tool_format *now, const char *line,
					     const char **at, const char **body)
{
	const struct tool_format *first = NULL;

	*body = *at = NULL;
	for (size_t n = 0; tool_formats[n]; n++) {
		const struct tool_format *format = tool_formats[n];
		const char *found = find_first(line, format->opens);

		if (!found && format == now)
			*body = tool_find_body(format, line);
		else if (!found && !(now && now->mixed && format->mixed))
			found = tool_find_body(format, line);
		if (!found || (first && *at <= found))
			continue;
		first = format;
		*at = found;
	}
	return first;
}

/* A line that begins like the rest of a row: with a number, or with what separates some. */
static bool is_rest(const char *at)
{
	return (*at && strchr("0123456789,|)]%", *at)) ||
	       (*at == '.' && isdigit((unsigned char)at[1]));
}

/*
 * Check for a row that a terminal or a mail program has broken: the line after it has only numbers,
 * or fields that end a row.
 */
static void check_broken(struct reader *r, const char *line)
{
	static const char *const fields[] = { "count:", "nmi-", "SMI:", "interference" };
	const char *at = line + strspn(line, " >"), *letter = at;
	bool goes_on;

	while (*letter && !isalpha((unsigned char)*letter))
		letter++;
	goes_on = is_rest(at) && (!r->row_is_alike || !*letter);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !goes_on; i++)
		goes_on = strncmp(at, fields[i], strlen(fields[i])) == 0;
	if (goes_on && r->row_line + 1 == r->line)
		tool_refuse(r, "the row before this line goes on in it: it was broken");
}

/* Detect encodings added by mails, pages and strings; some are valid in JSON and in XML. */
static void check_encoded(struct reader *r, const char *line)
{
	static const char *const marks[] = { "\\n",  "\\t",  "\\u0",   "\\x1b",   "#012",
					     "#033", "\\\"", "\"}",    "=3D\"",   "=3D=3D",
					     "&lt;", "&gt;", "&nbsp;", "&#",      "<br",
					     "<td",  "</",   "**",     "\xc2\xa0" };
	enum tool_markup markup = r->parse.format->markup;
	size_t bytes = strlen(line), count = markup == TOOL_JSON ? 7
					     : markup == TOOL_MARKUP
						     ? 10
						     : sizeof(marks) / sizeof(marks[0]);

	for (size_t i = 0; i < count; i++) {
		if (strstr(line, marks[i]))
			tool_refuse(
				r, "the output is in a string, a page or a mail, which changed it");
	}
	if (!markup && bytes && line[bytes - 1] == '=' && !strstr(line, "=="))
		tool_refuse(r, "the line ends in =, as in a mail that is quoted-printable");
}

/* Detect the head of a mail, or of a page, before its encoded contents. */
static void check_document(struct reader *r, const char *line)
{
	static const char mail[] = "Content-Transfer-Encoding:";

	if (strncasecmp(line, mail, strlen(mail)) == 0 &&
	    (strstr(line, "quoted-printable") || strstr(line, "base64")))
		tool_refuse(r, "a mail as it is transferred, in which the text is encoded");
	else if (strstr(line, "<html") || strstr(line, "<pre") || strstr(line, "<table"))
		tool_refuse(r, "a page of HTML, not a text");
}

/* Rows of two writers alternate: A, B, and A again. */
static void check_writers(struct reader *r, const char *line, const char *at, bool untitled)
{
	char prefix[TOOL_FRAME_PREFIX_MAX];

	line += strspn(line, " ");
	snprintf(prefix, sizeof(prefix), "%.*s", at > line ? (int)(at - line) : 0, line);
	if (untitled && *prefix && strcmp(prefix, r->writer[1]) == 0 &&
	    strcmp(prefix, r->writer[0]) != 0)
		tool_refuse(r, "lines of several writers alternate: save the output of each");
	if (strcmp(prefix, r->writer[0]) == 0)
		return;
	memcpy(r->writer[1], r->writer[0], sizeof(prefix));
	memcpy(r->writer[0], prefix, sizeof(prefix));
}

/* ---- Lines ---- */

/*
 * Parse a line, without its prefix. Returns the text after the end of the piece; NULL: there is
 * none.
 */
static const char *take_row(struct reader *r, const char *line)
{
	struct tool_parse *p = &r->parse;
	uint64_t rows = r->piece.rows, reports = p->reports;

	p->rest = NULL;
	if (p->format->parse)
		p->format->parse(p, line);
	else
		tool_take_row(p, p->format->row, line);
	if (r->piece.notes & TOOL_DAMAGED && p->reports > reports && !r->refused)
		r->refused = r->line;
	if (r->piece.rows > rows) {
		check_redrawn(r, p->format);
		r->row_line = r->line;
		r->row_is_alike = is_rest(line + strspn(line, " >"));
	} else if (!p->rest) {
		check_broken(r, line);
	}
	check_encoded(r, line);
	if (p->rest)
		end_piece(r);
	return p->rest;
}

static void take_stated(struct reader *r, const char *at)
{
	bool good;

	end_piece(r);
	r->parse.reports = 0;
	r->stated = (struct tool_stated){ 0 };
	good = tool_stated_read(&r->parse, at + strlen(TOOL_STATED_MARK), &r->stated);
	r->stated_line = r->line;
	r->failed = r->failed || !good;
	tool_frame_begin(&r->frame, "", "");
}

/* A command separates runs, and its options are those of the next piece. */
static void take_command(struct reader *r, const char *line)
{
	const struct tool_format *now = r->parse.format;
	struct tool_command c;

	/* JSON and rteval's report have a command within, and tags with the names of tools. */
	if ((now && now->markup &&
	     (strstr(line, "cmdline") || strstr(line, "ommand") || strchr(line, '<'))) ||
	    !tool_command_read(line, &c))
		return;
	/*
	 * Somebody may type while a trace is printed: only a command that prints a trace ends it.
	 */
	if (now && now->trace && !c.name[0] && !strstr(c.text, "trace"))
		return;
	if (!now || r->piece.rows)
		end_piece(r);
	/* A prompt alone leaves the command before it in force. */
	if (!c.text[0])
		return;
	if (strstr(c.text, " --no-header"))
		tool_refuse(r, "--no-header leaves out of which cores the numbers are");
	r->command = c;
	r->command_line = r->line;
	r->cleared = NULL;
}

/* A line without letters begins no output. */
static void take_line(struct reader *r, const char *line, bool letters)
{
	const struct tool_format *format = NULL, *now;
	const char *at = NULL, *body = NULL, *mine;

	if (letters)
		format = find_format(r->parse.format, line, &at, &body);
	now = r->parse.format;
	/* The command may go on in this line, broken within a number. */
	if (!format && r->command_line + 1 == r->line && is_rest(line))
		r->command.odd = true;
	if (!format && !now)
		return;
	mine = format ? NULL : tool_frame_peel(&r->frame, line);
	/* A row behind another prefix is another writer's; of a trace `body` is the line. */
	if (body && (!mine || (body != line && body != mine + strspn(mine, " ")))) {
		format = now;
		at = body;
	}
	if (format) {
		check_writers(r, line, at, !find_first(line, format->opens));
		begin_piece(r, format);
		if (!r->parse.format)
			return;
		tool_frame_begin(&r->frame, line, at);
		r->row_line = 0;
		mine = at;
	}
	if (!mine) {
		if (!r->frame.partly)
			check_broken(r, line);
		return;
	}
	line = take_row(r, mine);
	if (line && *line)
		take_line(r, line, true);
}

static void take_text(struct reader *r, const char *line)
{
	const char *stated = tool_scan_word(line, TOOL_STATED_MARK);

	if (scan_end(line)) {
		if (r->parse.format)
			take_row(r, line);
		return;
	}
	if (!r->first[0])
		snprintf(r->first, sizeof(r->first), "%s", line + strspn(line, " "));
	check_document(r, line);
	if (stated) {
		take_stated(r, stated);
	} else {
		bool letters = strpbrk(line,
				       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

		if (letters)
			take_command(r, line);
		take_line(r, line, letters);
	}
	snprintf(r->parse.before, sizeof(r->parse.before), "%.*s", TOOL_COMMAND_MAX - 1, line);
}

/* A screen is cleared, or written to at a place in it. */
static bool is_cleared(const char *line)
{
	for (; (line = strchr(line, '\x1b')); line++) {
		size_t numbers = line[1] == '[' ? strspn(line + 2, "0123456789;?") : 0;

		if (line[1] == 'c' ||
		    (line[1] == '[' && line[2 + numbers] && strchr("HJ", line[2 + numbers])))
			return true;
	}
	return false;
}

/* To r->clean. "^C" is what a terminal shows where somebody ended a tool. */
static void tool_clean(struct reader *r, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		r->clean[i] = bytes[i] == '\t' ? ' ' : bytes[i];
	r->clean[count] = '\0';
	if (is_cleared(r->clean))
		r->cleared = r->parse.format;
	count = line_strip(r->clean, count, r->clean);
	while (count && r->clean[count - 1] == ' ')
		count--;
	if (count >= 2 && memcmp(r->clean + count - 2, "^C", 2) == 0)
		count -= 2;
	r->clean[count] = '\0';
}

/* Take a line of host/capture/line.h. */
static size_t take_bytes(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	struct reader *r = ctx;

	r->line += !r->overlong;
	r->parse.line = r->line;
	if (!r->binary && memchr(bytes, '\0', count)) {
		r->binary = true;
		tool_refuse(r, "binary data; outputs of tools are text");
	}
	r->overlong = r->overlong || goes_on || count > TOOL_LINE_MAX;
	if (goes_on)
		return 0;
	if (r->overlong) {
		tool_refuse(r, "a line of more than a mebibyte");
	} else {
		tool_clean(r, bytes, count);
		if (!strstr(r->clean, LINE_MARK))
			take_text(r, r->clean);
	}
	r->overlong = false;
	return 0;
}

/* ---- Files ---- */

static void feed(struct reader *r, const char *bytes, size_t count)
{
	r->bytes += count;
	line_splitter_feed(&r->lines, bytes, count);
	capture_feed(r->capture, bytes, count);
}

static struct reader *tool_begin(struct tool_list *tools, const char *name, tool_complain *complain,
				 void *ctx)
{
	struct reader *r = memory_new(1, sizeof(*r));

	r->lines = (struct line_splitter){
		.line = take_bytes, .ctx = r, .text = r->pending, .room = sizeof(r->pending)
	};
	r->tools = tools;
	r->capture = memory_new(1, sizeof(*r->capture));
	*MEMORY_ADD(tools->capture, tools->captures) = r->capture;
	r->file = name;
	r->parse = (struct tool_parse){ .tool = &r->piece, .complain = complain, .ctx = ctx };
	snprintf(r->piece.file, sizeof(r->piece.file), "%s", name);
	tool_records_begin(r->capture, name, complain, ctx);
	return r;
}

/* Drop all pieces of the file, which begin at number `first`. */
static void drop_all(struct reader *r, size_t first)
{
	while (r->tools->count > first)
		free_piece(&r->tools->at[--r->tools->count]);
	tool_remark(&r->parse, r->refused,
		    "this line cannot be read, so that nothing of the file is: save the tool's own "
		    "output, as it printed it");
	r->failed = true;
}

/*
 * Sort pieces by their place in the file: our own records are known at its end only. One line may
 * begin two pieces.
 */
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
static void tool_end(struct reader *r, size_t first)
{
	bool records;

	capture_end(r->capture);
	line_splitter_end(&r->lines);
	end_piece(r);
	records = tool_records_add(r->tools, r->capture);
	if (!records)
		capture_close(r->capture);
	sort_pieces(r->tools, first);
	if (r->stated_line)
		tool_remark(&r->parse, r->stated_line,
			    "no output follows that this line could describe");
	r->failed = r->failed || r->stated_line;
	if (r->refused && (r->count || r->failed)) {
		drop_all(r, first);
	} else if (!r->count && !records && !r->failed) {
		r->failed = true;
		if (!r->bytes)
			tool_remark(&r->parse, 0, "empty");
		else
			tool_remark(&r->parse, 0,
				    "no known output in %llu bytes, which begin \"%s\"",
				    (unsigned long long)r->bytes, r->first);
	}
	r->tools->failed = r->tools->failed || r->failed;
	free(r);
}

void tool_read_text(struct tool_list *tools, const struct tool_text *file, tool_complain *complain,
		    void *ctx)
{
	size_t first = tools->count;
	struct reader *r = tool_begin(tools, file->name, complain, ctx);

	feed(r, file->text, file->bytes);
	tool_end(r, first);
}

void tool_read(struct tool_list *tools, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	size_t count, first = tools->count;
	struct input in;
	struct reader *r;

	if (!input_open(&in, path)) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
		return;
	}
	r = tool_begin(tools, in.name, complain, ctx);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0)
		feed(r, chunk, count);
	tool_end(r, first);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
	}
	input_close(&in);
}

void tool_free(struct tool_list *tools)
{
	while (tools->count)
		free_piece(&tools->at[--tools->count]);
	free(tools->at);
	while (tools->captures) {
		capture_close(tools->capture[--tools->captures]);
		free(tools->capture[tools->captures]);
	}
	free(tools->capture);
	*tools = (struct tool_list){ 0 };
}

bool tool_choose(struct tool_list *tools, uint64_t n)
{
	if (!n || n > tools->count)
		return false;
	for (size_t i = 0; i < tools->count; i++) {
		if (i != n - 1)
			free_piece(&tools->at[i]);
	}
	tools->at[0] = tools->at[n - 1];
	tools->count = 1;
	return true;
}
