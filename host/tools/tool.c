/* SPDX-License-Identifier: BSD-2-Clause */
/* A file becomes lines, lines pieces; the first line that only one format has decides a piece's. */
#include "tool.h"

#include "host/capture/capture.h"
#include "host/capture/line.h"
#include "tool_format.h"
#include "host/lib/input.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  ((size_t)1 << 20)
#define REPORTS_MAX  20 /* complaints about one piece; the rest are counted */
#define QUOTED_BYTES 60 /* of a line, in a complaint */

/* Traces and tables that look like a tool's, of those that measure something else: named. */
static enum tool_match match_other(const char *line)
{
	return (strncmp(line, "# tracer: ", 10) == 0 && strcmp(line + 10, "hwlat") != 0 &&
		strcmp(line + 10, "osnoise") != 0) ||
			       strncmp(line, "# RTLA timerlat", 15) == 0 ||
			       strstr(line, "Timer Latency  ")
		       ? TOOL_TITLE
		       : TOOL_NO;
}

static void start_other(struct tool_parse *p)
{
	p->tool->tool = "another tracer";
}

static void parse_other(struct tool_parse *p, const char *line)
{
	if (match_other(line) == TOOL_TITLE && !p->reports) {
		line += strspn(line, " #");
		tool_report(p,
			    "\"%.60s\": it does not measure gaps; of tracers hwlat and osnoise do",
			    line);
	}
}

static const struct tool_format other_tracer = {
	.name = "another tracer",
	.match = match_other,
	.start = start_other,
	.parse = parse_other,
};

/* Which is which, by content. A line is offered from the top. */
static const struct tool_format *const formats[] = {
	&tool_hwlat,     &tool_osnoise,       &other_tracer, &tool_rtla_top,
	&tool_rtla_hist, &tool_hwlatdetect,   &tool_oslat,   &tool_rt_json,
	&tool_sysjitter, &tool_sysjitter_raw, &tool_detour,  &tool_cyclictest,
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* A file on its way. */
struct feed {
	struct tool_list *tools;
	struct capture capture;  /* of our own records, which may be among the lines */
	struct tool_parse parse; /* .format: NULL between pieces */
	struct tool piece;
	struct tool_stated stated; /* for the next piece */
	bool has_stated;
	uint64_t stated_line;

	uint64_t bytes, line;
	size_t pending_bytes;
	bool overlong, binary_reported, pieces_reported, failed;
	size_t pieces;
	char pending[TOOL_LINE_MAX];
	char clean[TOOL_LINE_MAX + 1];
	char first[QUOTED_BYTES + 1]; /* line that was not empty */
};

static void report_at(struct tool_parse *p, uint64_t line, const char *format, va_list args)
{
	char text[512];

	p->tool->wrong++;
	if (p->reports++ >= REPORTS_MAX)
		return;
	vsnprintf(text, sizeof(text), format, args);
	text_sanitize(text);
	p->complain(p->ctx, p->tool->file, line, text);
}

void tool_report(struct tool_parse *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_at(p, p->line, format, args);
	va_end(args);
}

static void report_file(struct tool_parse *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void report_file(struct tool_parse *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_at(p, 0, format, args);
	va_end(args);
}

void tool_wrong(struct tool_parse *p, const char *line, const char *wanted)
{
	p->tool->notes |= TOOL_DAMAGED;
	line += strspn(line, " ");
	tool_report(p, "%s: not understood: \"%.*s%s\"; wanted: %s", p->format->name, QUOTED_BYTES,
		    line, strlen(line) > QUOTED_BYTES ? "..." : "", wanted);
}

static void free_piece(struct tool *piece)
{
	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].bin);
		free(piece->core[i].more);
	}
	free(piece->core);
}

void tool_free(struct tool_list *tools)
{
	for (size_t i = 0; i < tools->count; i++)
		free_piece(&tools->at[i]);
	free(tools->at);
	*tools = (struct tool_list){ 0 };
}

static void keep_piece(struct feed *f)
{
	struct tool *piece = &f->piece;

	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].more);
		piece->core[i].more = NULL;
	}
	tool_sort_cores(piece);
	f->tools->at = memory_grow(f->tools->at, f->tools->count, sizeof(*f->tools->at));
	f->tools->at[f->tools->count++] = *piece;
	f->pieces++;
}

static void end_piece(struct feed *f)
{
	struct tool_parse *p = &f->parse;

	if (!p->format)
		return;
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
	free(p->state);
	p->state = NULL;
	p->format = NULL;
}

static void start_piece(struct feed *f, const struct tool_format *format)
{
	struct tool_parse *p = &f->parse;
	struct tool *piece = &f->piece;

	end_piece(f);
	if (f->pieces == TOOL_PIECES_MAX) {
		if (!f->pieces_reported)
			report_file(p, "more than %d outputs in one file: the rest is left out",
				    TOOL_PIECES_MAX);
		f->pieces_reported = f->failed = true;
		return;
	}
	*piece = (struct tool){ .line = f->has_stated ? f->stated_line : f->line,
				.tool = format->name };
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

static enum tool_match match_line(const struct tool_format *format, const char *line)
{
	if (format->opening && strncmp(line, format->opening, strlen(format->opening)) == 0)
		return TOOL_OPENING;
	return format->match ? format->match(line) : TOOL_NO;
}

/* The piece that this line begins or belongs to. */
static void choose(struct feed *f, const char *line)
{
	const struct tool_format *now = f->parse.format;

	for (size_t i = 0; i < FORMATS; i++) {
		enum tool_match match = match_line(formats[i], line);

		if (match == TOOL_OPENING || (match == TOOL_TITLE && formats[i] != now) ||
		    (match == TOOL_BODY && !now)) {
			start_piece(f, formats[i]);
			return;
		}
	}
}

static void take_stated(struct feed *f, const char *line)
{
	end_piece(f);
	f->piece.wrong = 0;
	f->parse.reports = 0;
	f->stated = (struct tool_stated){ 0 };
	f->stated_line = f->line;
	f->has_stated = true;
	if (!tool_stated_read(&f->parse, line, &f->stated))
		f->failed = true;
}

static void take_line(struct feed *f, const char *line)
{
	f->parse.line = f->line;
	if (!f->first[0] && !scan_end(line))
		snprintf(f->first, sizeof(f->first), "%s", line + strspn(line, " "));
	if (strstr(line, LINE_MARK))
		return; /* a record: the reader's */
	if (tool_stated_is(line)) {
		take_stated(f, line);
		return;
	}
	choose(f, line);
	if (f->parse.format)
		f->parse.format->parse(&f->parse, line);
}

static void check_binary(struct feed *f)
{
	if (f->binary_reported || !memchr(f->pending, '\0', f->pending_bytes))
		return;
	f->binary_reported = true;
	f->parse.line = f->line;
	tool_report(&f->parse, "binary data; outputs of tools are text");
}

static void end_line(struct feed *f)
{
	size_t bytes;

	f->line++;
	check_binary(f);
	for (size_t i = 0; i < f->pending_bytes; i++) {
		if (f->pending[i] == '\t')
			f->pending[i] = ' ';
	}
	bytes = line_strip(f->pending, f->pending_bytes, f->clean);
	f->clean[bytes] = '\0';
	if (f->overlong) {
		f->parse.line = f->line;
		tool_report(&f->parse, "a line of more than %d bytes", TOOL_LINE_MAX);
		f->piece.notes |= TOOL_DAMAGED;
	} else {
		take_line(f, f->clean);
	}
	f->pending_bytes = 0;
	f->overlong = false;
}

static void feed_bytes(struct feed *f, const char *bytes, size_t count)
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

static struct feed *feed_new(struct tool_list *tools, const char *name, tool_complain *complain,
			     void *ctx)
{
	struct feed *f = memory_new(1, sizeof(*f));

	f->tools = tools;
	f->parse = (struct tool_parse){ .tool = &f->piece, .complain = complain, .ctx = ctx };
	snprintf(f->piece.file, sizeof(f->piece.file), "%s", name);
	tool_records_begin(&f->capture, name, complain, ctx);
	return f;
}

/* No known output in it: report what is there instead. */
static void report_unknown(struct feed *f)
{
	f->failed = true;
	if (!f->bytes) {
		report_file(&f->parse, "empty");
		return;
	}
	report_file(&f->parse,
		    "no known output in %llu bytes, which begin \"%s\"; known: hwlat and "
		    "osnoise traces, rtla osnoise and hwnoise, hwlatdetect, oslat, cyclictest, "
		    "sysjitter, detect-detour, noisefloor's records",
		    (unsigned long long)f->bytes, f->first);
}

static void feed_end(struct feed *f)
{
	bool records;

	capture_end(&f->capture);
	records = tool_records_add(f->tools, &f->capture);
	if (f->pending_bytes)
		end_line(f);
	end_piece(f);
	f->parse.reports = 0;
	f->parse.line = f->stated_line;
	if (f->has_stated)
		tool_report(&f->parse, "no output follows that this line could describe");
	if (!f->pieces && !records && !f->failed)
		report_unknown(f);
	f->tools->failed = f->tools->failed || f->failed;
	capture_close(&f->capture);
	free(f);
}

void tool_read_bytes(struct tool_list *tools, const char *name, const char *text, size_t bytes,
		     tool_complain *complain, void *ctx)
{
	struct feed *f = feed_new(tools, name, complain, ctx);

	feed_bytes(f, text, bytes);
	feed_end(f);
}

void tool_read(struct tool_list *tools, const char *path, tool_complain *complain, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	struct input in;
	struct feed *f;
	size_t count;

	if (!input_open(&in, path)) {
		complain(ctx, in.name, 0, in.error);
		tools->failed = true;
		return;
	}
	f = feed_new(tools, in.name, complain, ctx);
	while ((count = input_read(&in, chunk, sizeof(chunk))) > 0)
		feed_bytes(f, chunk, count);
	if (in.error[0]) {
		complain(ctx, in.name, 0, in.error);
		f->failed = true;
	}
	input_close(&in);
	feed_end(f);
}
