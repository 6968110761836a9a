/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines become pieces; the first line that only one format has decides a piece's. */
#include "tool_piece.h"

#include "tool_frame.h"
#include "tool_prompt.h"
#include "tool_redraw.h"
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
	if (!p->tool->rows)
		tool_report(
			p,
			"\"%.60s\": it does not measure gaps; hwlat, osnoise and timerlat are read",
			line + strspn(line, " #"));
	p->tool->rows += !p->try;
}

static const struct tool_format other_tracer = {
	.name = "another tracer",
	.find = find_other,
	.start = start_other,
	.parse = parse_other,
};

/* Which is which, by content. A line is offered from the top. */
static const struct tool_format *const formats[] = {
	&tool_hwlat,      &tool_osnoise,      &tool_timerlat,      &other_tracer,
	&tool_rtla_top,   &tool_rtla_hist,    &tool_hwlatdetect,   &tool_oslat,
	&tool_rt_json,    &tool_sysjitter,    &tool_sysjitter_raw, &tool_detour,
	&tool_cyclictest, &tool_timerlat_top, &tool_timerlat_hist, &tool_fwq,
	&tool_psnap,      &tool_ftq,          &tool_jhiccup,       &tool_rteval,
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

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

void tool_piece_remark(const struct tool_pieces *f, uint64_t line, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	f->parse.complain(f->parse.ctx, f->file, line, text);
}

/* In the strings of a document the same output may be there twice: whole, and line by line. */
static bool is_repeated(const struct tool_pieces *f)
{
	if (!f->in_string || !f->sum)
		return false;
	for (size_t i = 0; i < f->count; i++) {
		if (f->kept[i].sum != f->sum)
			continue;
		tool_piece_remark(f, f->piece.line, "the same output as at line %llu: left out",
				  (unsigned long long)f->kept[i].line);
		return true;
	}
	return false;
}

/* The table of the last piece, drawn again, takes its place. */
static bool follow(struct tool_pieces *f)
{
	struct tool *last = f->count ? &f->tools->at[f->tools->count - 1] : NULL;

	if (!last || f->apart || !f->parse.format->sums || !tool_redraw_follows(last, &f->piece))
		return false;
	tool_redraw_take_over(&f->piece, last);
	f->tools->count--;
	f->count--;
	if (f->in_string)
		f->sum += f->kept[f->count].sum * 31;
	return true;
}

static void free_state(struct tool_pieces *f)
{
	free(f->parse.state);
	f->parse.state = NULL;
	f->parse.format = NULL;
}

static void keep_piece(struct tool_pieces *f)
{
	struct tool *piece = &f->piece;

	for (size_t i = 0; i < piece->cores; i++) {
		free(piece->core[i].more);
		piece->core[i].more = NULL;
	}
	tool_sort_cores(piece);
	f->kept[f->count].sum = f->in_string ? f->sum : 0;
	f->kept[f->count].line = piece->line;
	*MEMORY_ADD(f->tools->at, f->tools->count) = *piece;
	f->count++;
}

void tool_piece_end(struct tool_pieces *f)
{
	struct tool_parse *p = &f->parse;
	bool repeated;

	if (!p->format)
		return;
	p->try = false;
	if (p->format->finish)
		p->format->finish(p);
	f->rows += f->piece.rows;
	repeated = is_repeated(f) || (follow(f) && is_repeated(f));
	f->apart = false;
	tool_stated_apply(p);
	if (!f->piece.cores && !p->reports)
		tool_report(p, "%s: no figures in it", p->format->name);
	if (p->reports > REPORTS_MAX)
		p->complain(p->ctx, f->piece.file, 0, "further lines could not be read");
	if (f->piece.cores && !repeated) {
		keep_piece(f);
	} else {
		f->failed = f->failed || !f->piece.cores;
		free_piece(&f->piece);
	}
	free_state(f);
}

uint64_t tool_piece_rows(const struct tool_pieces *f)
{
	return f->rows + (f->parse.format ? f->piece.rows : 0);
}

/* What the parser holds is freed when it finishes. */
void tool_piece_abandon(struct tool_pieces *f)
{
	struct tool_parse *p = &f->parse;

	f->stated = f->piece.stated;
	f->has_stated = f->piece.line != p->line;
	f->command = f->applied;
	memcpy(f->shell, f->piece.command, sizeof(f->shell));
	p->try = true;
	if (p->format->finish)
		p->format->finish(p);
	p->try = false;
	free_piece(&f->piece);
	free_state(f);
}

void tool_piece_start(struct tool_pieces *f, const struct tool_format *format)
{
	struct tool_parse *p = &f->parse;
	struct tool *piece = &f->piece;

	/* Drawn again before it had anything. */
	if (format->sums && p->format == format && !piece->cores && !p->reports)
		return;
	tool_piece_end(f);
	if (f->count == TOOL_PIECES_MAX) {
		if (!f->many_reported)
			tool_piece_remark(f, 0,
					  "more than %d outputs in one file: the rest is left out",
					  TOOL_PIECES_MAX);
		f->many_reported = f->failed = true;
		return;
	}
	*piece = (struct tool){ .line = f->has_stated ? f->stated_line : p->line,
				.tool = format->name,
				.notes = format->notes };
	f->sum = 0;
	snprintf(piece->file, sizeof(piece->file), "%s", f->file);
	if (f->has_stated)
		piece->stated = f->stated;
	f->has_stated = false;
	tool_command_apply(&f->command, format, &piece->stated);
	f->applied = f->command;
	f->command.known = false;
	memcpy(piece->command, f->shell, sizeof(piece->command));
	f->shell[0] = '\0';
	memcpy(piece->kernel, f->kernel, sizeof(piece->kernel));
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

/* The first output that begins in this line, and where; NULL: none. */
static const struct tool_format *find_format(const struct tool_pieces *f, const char *line,
					     const char **at)
{
	const struct tool_format *now = f->parse.format, *first = NULL;
	const char *found;

	for (size_t i = 0; i < FORMATS; i++) {
		enum tool_match match = find(formats[i], line, &found);

		if (match == TOOL_NO || (match == TOOL_TITLE && formats[i] == now) ||
		    (match == TOOL_BODY && now &&
		     (formats[i] == now || (now->mixed && formats[i]->mixed))) ||
		    (first && *at <= found))
			continue;
		first = formats[i];
		*at = found;
	}
	return first;
}

struct tool_opening tool_piece_opening(const struct tool_pieces *f, const char *line)
{
	struct tool_opening o = { .at = tool_frame_word(line, TOOL_STATED_MARK) };

	if (!o.at)
		o.format = find_format(f, line, &o.at);
	return o;
}

struct tool_opening tool_piece_opening_apart(const struct tool_pieces *f, const char *line)
{
	struct tool_opening o = { .format = f->parse.format };

	return find(o.format, line, &o.at) == TOOL_BODY ? o : (struct tool_opening){ .at = NULL };
}

void tool_piece_separate(struct tool_pieces *f, const char *line)
{
	const struct tool_format *now = f->parse.format;
	const char *command;

	if (now && !now->bare && !now->sums && !now->trace)
		return;
	tool_prompt_kernel(line, f->kernel, sizeof(f->kernel));
	command = tool_prompt_command(line);
	/* Somebody may type while a trace is printed: only one that prints it again ends it. */
	if (!command || (now && now->trace && !strstr(command, "trace")))
		return;
	if (!now || f->piece.rows)
		tool_piece_end(f);
	f->apart = true;
	snprintf(f->shell, sizeof(f->shell), "%s", command);
	text_sanitize(f->shell);
}

static void take_stated(struct tool_pieces *f, const char *line)
{
	struct tool_stated stated = { 0 };
	bool good;

	tool_piece_end(f);
	f->piece.wrong = 0;
	f->parse.reports = 0;
	good = tool_stated_read(&f->parse, line, &stated);
	if (!good && f->parse.try)
		return;
	f->stated = stated;
	f->stated_line = f->parse.line;
	f->has_stated = f->apart = true;
	f->rows++;
	f->failed = f->failed || !good;
	if (stated.hz.known)
		tool_piece_start(f, &tool_fwq);
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

/* Without a remark behind it, if it is a row then. */
static bool take_before_remark(struct tool_pieces *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	uint64_t rows = f->piece.rows;
	size_t bytes = strlen(line);

	if (bytes >= sizeof(f->row))
		return false;
	memcpy(f->row, line, bytes + 1);
	while (p->refused && bytes && (bytes = tool_remark_before(f->row, bytes - 1))) {
		f->row[bytes] = '\0';
		p->refused = false;
		p->format->parse(p, f->row);
		p->refused = p->refused || (f->piece.rows == rows && !p->rest);
	}
	return !p->refused;
}

static void parse_line(struct tool_pieces *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	bool taken;

	if (p->try) {
		p->format->parse(p, line);
		return;
	}
	p->try = true;
	p->refused = false;
	p->format->parse(p, line);
	taken = !p->refused || take_before_remark(f, line);
	p->try = false;
	if (!taken)
		p->format->parse(p, line);
}

/* A line of the piece, unless the kernel wrote it in between. What is behind its end; NULL: none.
 */
static const char *take_line(struct tool_pieces *f, const char *line)
{
	struct tool_parse *p = &f->parse;
	const char *at;

	if (!p->format || (is_kernel_line(line) && find(p->format, line, &at) == TOOL_NO &&
			   !(p->format->trace && trace_is_record(line))))
		return NULL;
	p->rest = NULL;
	parse_line(f, line);
	if (f->in_string && !scan_end(line))
		f->sum = f->sum * 31 + crc32c(line, strlen(line));
	if (p->rest)
		tool_piece_end(f);
	return p->rest;
}

void tool_piece_take(struct tool_pieces *f, const char *line, bool begun)
{
	while (line) {
		struct tool_opening o = { .at = NULL };

		if (!begun)
			o = tool_piece_opening(f, line);
		if (o.at && !o.format) {
			take_stated(f, o.at);
			return;
		}
		if (o.format)
			tool_piece_start(f, o.format);
		line = take_line(f, o.format ? o.at : line);
		begun = false;
	}
}
