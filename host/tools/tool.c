/* SPDX-License-Identifier: BSD-2-Clause */
/* A file becomes lines, lines pieces; the first line that only one format has decides a piece's. */
#include "tool.h"

#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "tool_format.h"
#include "tool_feed.h"
#include "tool_frame.h"
#include "tool_wrap.h"
#include "trace_line.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/crc32c.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORTS_MAX  20 /* complaints about one piece; the rest are counted */
#define QUOTED_BYTES 60 /* of a line, in a complaint */

/* Traces and tables that look like a tool's, of those that measure something else: named. */
static enum tool_match find_other(const char *line, const char **at)
{
	*at = tool_frame_word(line, "# tracer: ");
	return tool_match_at(*at, TOOL_TITLE);
}

static void start_other(struct tool_parse *p)
{
	p->tool->tool = "another tracer";
}

static void parse_other(struct tool_parse *p, const char *line)
{
	if (!p->tool->rows++)
		tool_report(p,
			    "\"%.60s\": it does not measure gaps; of tracers hwlat and osnoise do",
			    line + strspn(line, " #"));
}

static const struct tool_format other_tracer = {
	.name = "another tracer",
	.find = find_other,
	.start = start_other,
	.parse = parse_other,
};

/* Which is which, by content. A line is offered from the top. */
static const struct tool_format *const formats[] = {
	&tool_hwlat,        &tool_osnoise,       &other_tracer, &tool_rtla_top,
	&tool_rtla_hist,    &tool_hwlatdetect,   &tool_oslat,   &tool_rt_json,
	&tool_sysjitter,    &tool_sysjitter_raw, &tool_detour,  &tool_cyclictest,
	&tool_timerlat_top, &tool_timerlat_hist, &tool_fwq,     &tool_psnap,
	&tool_ftq,          &tool_jhiccup,
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* A file on its way. */
struct tool_feed {
	struct tool_list *tools;
	struct capture capture;  /* of our own records, which may be among the lines */
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	struct tool_stated stated; /* for the next piece */
	bool has_stated;
	uint64_t stated_line;

	uint64_t bytes, line;
	size_t pending_bytes, widest;
	bool overlong, binary_reported, pieces_reported, failed;
	size_t pieces;
	struct tool_frame frame; /* of the piece */
	uint32_t sum;            /* of its text */
	struct {
		uint32_t sum; /* of a piece in strings; else 0 */
		uint64_t line;
	} kept[TOOL_PIECES_MAX];
	struct tool_wrap wrap;
	char pending[TOOL_LINE_MAX];
	char clean[TOOL_LINE_MAX + 1];
	char plain[TOOL_LINE_MAX + 1]; /* unescaped */
	char first[QUOTED_BYTES + 1];  /* line that was not empty */
};

void tool_report(struct tool_parse *p, const char *format, ...)
{
	char text[512];
	va_list args;

	p->refused = true;
	if (p->try)
		return;
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
	if (!p->try)
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
	free(piece->traced);
}

void tool_free(struct tool_list *tools)
{
	for (size_t i = 0; i < tools->count; i++)
		free_piece(&tools->at[i]);
	free(tools->at);
	*tools = (struct tool_list){ 0 };
}

/* Something about the file that is no fault of a line: also where a line is only tried. */
static void __attribute__((format(printf, 3, 4)))
remark(const struct tool_feed *f, uint64_t line, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	f->parse.complain(f->parse.ctx, f->capture.name, line, text);
}

/* In the strings of a document the same output may be there twice: whole, and line by line. */
static bool is_repeated(struct tool_feed *f)
{
	if (!f->frame.quote || !f->sum)
		return false;
	for (size_t i = 0; i < f->pieces; i++) {
		if (f->kept[i].sum != f->sum)
			continue;
		remark(f, f->piece.line, "the same output as at line %llu: left out",
		       (unsigned long long)f->kept[i].line);
		return true;
	}
	f->kept[f->pieces].sum = f->sum;
	f->kept[f->pieces].line = f->piece.line;
	return false;
}

static void free_state(struct tool_feed *f)
{
	free(f->parse.state);
	f->parse.state = NULL;
	f->parse.format = NULL;
}

static void keep_piece(struct tool_feed *f)
{
	struct tool *piece = &f->piece;

	if (is_repeated(f)) {
		free_piece(piece);
		return;
	}
	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].more);
		piece->core[i].more = NULL;
	}
	tool_sort_cores(piece);
	*MEMORY_ADD(f->tools->at, f->tools->count) = *piece;
	f->pieces++;
}

static void end_piece(struct tool_feed *f)
{
	struct tool_parse *p = &f->parse;

	if (!p->format)
		return;
	p->try = false;
	if (p->format->finish)
		p->format->finish(p);
	tool_stated_apply(p);
	if (!f->piece.cores && !p->reports)
		tool_report(p, "%s: no figures in it", p->format->name);
	if (p->reports > REPORTS_MAX)
		p->complain(p->ctx, f->piece.file, 0, "further lines could not be read");
	if (f->piece.cores) {
		keep_piece(f);
	} else {
		f->failed = true;
		free_piece(&f->piece);
	}
	free_state(f);
}

/* It was only tried; what the parser holds is freed when it finishes. */
static void abandon_piece(struct tool_feed *f)
{
	struct tool_parse *p = &f->parse;

	f->stated = f->piece.stated;
	f->has_stated = f->piece.line != p->line;
	p->try = true;
	if (p->format->finish)
		p->format->finish(p);
	p->try = false;
	free_piece(&f->piece);
	free_state(f);
}

static void start_piece(struct tool_feed *f, const struct tool_format *format)
{
	struct tool_parse *p = &f->parse;
	struct tool *piece = &f->piece;

	end_piece(f);
	if (f->pieces == TOOL_PIECES_MAX) {
		if (!f->pieces_reported)
			remark(f, 0, "more than %d outputs in one file: the rest is left out",
			       TOOL_PIECES_MAX);
		f->pieces_reported = f->failed = true;
		return;
	}
	*piece = (struct tool){ .line = f->has_stated ? f->stated_line : p->line,
				.tool = format->name,
				.notes = format->notes };
	f->sum = 0;
	snprintf(piece->file, sizeof(piece->file), "%s", f->capture.name);
	if (f->has_stated)
		piece->stated = f->stated;
	f->has_stated = false;
	p->format = format;
	p->reports = 0;
	p->state = format->state_bytes ? memory_new(1, format->state_bytes) : NULL;
	if (format->start)
		format->start(p);
}

static enum tool_match find(const struct tool_format *format, const char *line, const char **at)
{
	if (format->find)
		return format->find(line, at);
	*at = tool_frame_word(line, format->opening);
	return tool_match_at(*at, TOOL_OPENING);
}

/* The first piece that begins in this line, and where; NULL: none. */
static const struct tool_format *find_opening(const struct tool_feed *f, const char *line,
					      const char **at)
{
	const struct tool_format *now = f->parse.format, *first = NULL;
	const char *found;

	for (size_t i = 0; i < FORMATS; i++) {
		enum tool_match match = find(formats[i], line, &found);

		if (match == TOOL_NO || (match == TOOL_TITLE && formats[i] == now) ||
		    (match == TOOL_BODY && now && (formats[i] == now || now->trace)) ||
		    (first && *at <= found))
			continue;
		first = formats[i];
		*at = found;
	}
	return first;
}

static void take_stated(struct tool_feed *f, const char *line)
{
	struct tool_stated stated = { 0 };
	bool good;

	end_piece(f);
	f->piece.wrong = 0;
	f->parse.reports = 0;
	good = tool_stated_read(&f->parse, line, &stated);
	if (!good && f->parse.try)
		return;
	f->stated = stated;
	f->stated_line = f->parse.line;
	f->has_stated = true;
	f->piece.rows++;
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

static void take_text(struct tool_feed *f, const char *line);

/* A line of the piece, unless the kernel wrote it in between. */
static void take_line(struct tool_feed *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	const char *at;

	if (!p->format || (is_kernel_line(line) && find(p->format, line, &at) == TOOL_NO &&
			   !(p->format->trace && trace_is_record(line))))
		return;
	p->rest = NULL;
	p->format->parse(p, line);
	if (f->frame.quote && !scan_end(line))
		f->sum = f->sum * 31 + crc32c(line, strlen(line));
	if (!p->rest)
		return;
	line = p->rest;
	end_piece(f);
	take_text(f, line);
}

/* A line that is no longer dressed in anything. */
static void take_text(struct tool_feed *f, const char *line)
{
	const char *stated = tool_frame_word(line, TOOL_STATED_MARK), *at = line;
	const struct tool_format *format = stated ? NULL : find_opening(f, line, &at);

	if (format)
		start_piece(f, format);
	if (stated)
		take_stated(f, stated);
	else
		take_line(f, format ? at : line);
}

/* The line in which the piece was found to begin is not asked again. */
static void take_one(struct tool_feed *f, const char *line, bool first)
{
	if (first)
		take_line(f, line);
	else
		take_text(f, line);
}

/* The output's part of a line, perhaps its first; in a string it is lines of its own. */
static void undress(struct tool_feed *f, const char *text, bool first)
{
	char *line = f->plain, *end;

	if (!tool_frame_is_escaped(&f->frame, text)) {
		take_one(f, text, first);
		return;
	}
	tool_frame_unescape(&f->frame, text, f->plain);
	for (; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		line[line_strip(line, strlen(line), line)] = '\0';
		take_one(f, line, first);
		first = false;
	}
}

static void take_dressed(struct tool_feed *f, const char *line)
{
	const char *stated = tool_frame_word(line, TOOL_STATED_MARK), *at;
	const struct tool_format *format = stated ? NULL : find_opening(f, line, &at);

	if (format && f->parse.try && f->parse.format) {
		f->parse.refused = true;
	} else if (format || stated) {
		at = stated ? stated : at;
		if (format)
			start_piece(f, format);
		tool_frame_begin(&f->frame, line, at);
		undress(f, at, format);
	} else if (f->parse.format) {
		at = tool_frame_peel(&f->frame, line);
		if (at)
			undress(f, at, false);
		else if (f->frame.closed && !f->frame.bytes)
			end_piece(f);
	}
}

/* A line of the log, for tool_wrap.h. */
static enum tool_wrap_result offer(void *ctx, const char *line, uint64_t number, bool try)
{
	struct tool_feed *f = ctx;
	struct tool_parse *p = &f->parse;
	bool was_idle = !p->format;
	uint64_t rows = was_idle ? 0 : f->piece.rows;

	p->line = number;
	p->try = try;
	p->refused = false;
	take_dressed(f, line);
	p->try = false;
	if (!p->refused && f->piece.rows > rows)
		return TOOL_WRAP_TAKEN;
	if (try && was_idle && p->format)
		abandon_piece(f);
	return p->refused ? TOOL_WRAP_REFUSED : TOOL_WRAP_IGNORED;
}

/* In a piece each line may be broken, elsewhere only one that begins something. */
static void pass_line(struct tool_feed *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	bool wide = f->wrap.columns && strlen(line) == f->wrap.columns;
	const char *at;
	bool opens;

	if (!f->first[0] && !scan_end(line))
		snprintf(f->first, sizeof(f->first), "%s", line + strspn(line, " "));
	if (strstr(line, LINE_MARK) || line_find_escaped(line, strlen(line)))
		return; /* a record: the reader's */
	p->wide = wide;
	opens = wide && (tool_frame_word(line, TOOL_STATED_MARK) || find_opening(f, line, &at));
	if (opens) {
		tool_wrap_end(&f->wrap);
		end_piece(f);
	}
	tool_wrap_add(&f->wrap, line, f->line,
		      f->wrap.columns &&
			      (opens || (p->format && !p->format->whole && !f->frame.quote)));
}

static void check_binary(struct tool_feed *f)
{
	if (f->binary_reported || !memchr(f->pending, '\0', f->pending_bytes))
		return;
	f->binary_reported = true;
	f->parse.line = f->line;
	tool_report(&f->parse, "binary data; outputs of tools are text");
}

static void end_line(struct tool_feed *f)
{
	size_t bytes;

	f->line++;
	check_binary(f);
	for (size_t i = 0; i < f->pending_bytes; i++) {
		if (f->pending[i] == '\t')
			f->pending[i] = ' ';
	}
	bytes = line_strip(f->pending, f->pending_bytes, f->clean);
	/* Some terminals copy the blanks, too. */
	while (bytes && f->clean[bytes - 1] == ' ')
		bytes--;
	f->clean[bytes] = '\0';
	f->widest = arith_max(f->widest, bytes);
	if (f->overlong) {
		f->parse.line = f->line;
		tool_report(&f->parse, "a line of more than %d bytes", TOOL_LINE_MAX);
		f->piece.notes |= TOOL_DAMAGED;
	} else {
		pass_line(f, f->clean);
	}
	f->pending_bytes = 0;
	f->overlong = false;
}

void tool_feed(struct tool_feed *f, const char *bytes, size_t count)
{
	const char *at = bytes, *end = bytes + count;

	f->bytes += count;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t run = (size_t)((newline ? newline : end) - at);
		size_t fits = arith_min(run, TOOL_LINE_MAX - f->pending_bytes);

		memcpy(f->pending + f->pending_bytes, at, fits);
		f->pending_bytes += fits;
		f->overlong = f->overlong || fits < run;
		at += run;
		if (newline) {
			end_line(f);
			at++;
		}
	}
	capture_feed(&f->capture, bytes, count);
}

struct tool_feed *tool_feed_new(struct tool_list *tools, const char *name, size_t columns,
				tool_complain *complain, void *ctx)
{
	struct tool_feed *f = memory_new(1, sizeof(*f));

	f->tools = tools;
	f->parse = (struct tool_parse){ .tool = &f->piece, .complain = complain, .ctx = ctx };
	snprintf(f->piece.file, sizeof(f->piece.file), "%s", name);
	f->wrap.offer = offer;
	f->wrap.columns = columns;
	f->wrap.ctx = f;
	tool_records_begin(&f->capture, name, complain, ctx);
	return f;
}

/* No known output in it: report what is there instead. */
static void report_unknown(struct tool_feed *f)
{
	f->failed = true;
	f->parse.line = 0;
	if (!f->bytes) {
		tool_report(&f->parse, "empty");
		return;
	}
	tool_report(&f->parse,
		    "no known output in %llu bytes, which begin \"%s\"; known: hwlat and osnoise "
		    "traces, rtla osnoise, hwnoise and timerlat, hwlatdetect, oslat, cyclictest, "
		    "sysjitter, detect-detour, FTQ, FWQ, P-SNAP, jHiccup, noisefloor's records",
		    (unsigned long long)f->bytes, f->first);
}

struct tool_feed_lines tool_feed_end(struct tool_feed *f)
{
	struct tool_feed_lines lines = { .widest = f->widest };
	bool records;

	capture_end(&f->capture);
	records = tool_records_add(f->tools, &f->capture);
	if (f->pending_bytes)
		end_line(f);
	tool_wrap_end(&f->wrap);
	end_piece(f);
	lines.joined = f->wrap.joined;
	if (f->wrap.joined)
		remark(f, 0, "%llu lines were broken at %zu columns, as a terminal does: joined",
		       (unsigned long long)f->wrap.joined, f->wrap.columns);
	f->parse.reports = 0;
	f->parse.line = f->stated_line;
	if (f->has_stated)
		tool_report(&f->parse, "no output follows that this line could describe");
	if (!f->pieces && !records && !f->failed)
		report_unknown(f);
	f->tools->failed = f->tools->failed || f->failed;
	capture_close(&f->capture);
	free(f);
	return lines;
}
