/* SPDX-License-Identifier: BSD-2-Clause */
/* The end page, painted or as text. */
#include "core/lib/mem.h"
#include "core/records/record_kind.h"
#include "screen_code.h"

struct headline {
	const char *words; /* NULL: the mode's */
	uint8_t inks;
};

static const struct headline headlines[] = {
	[VERDICT_NONE] = { NULL, INK_FAINT },   [VERDICT_PASS] = { "PASS", INK_GOOD },
	[VERDICT_FAIL] = { "FAIL", INK_BAD },   [VERDICT_INCOMPLETE] = { "INCOMPLETE", INK_WARN },
	[VERDICT_ERROR] = { "ERROR", INK_BAD },
};

static const struct headline short_pass = { "PASS, BUT SHORT", INK_WARN };

/*
 * Draw the verdict in large letters and the longest gap below it; without limits, the longest gap
 * in large letters.
 */
static struct screen_area draw_verdict(struct screen *s, struct screen_area a,
				       const struct verdict_reasons *r)
{
	unsigned large = a.height / 3, small = a.height / 9;
	const struct headline *h = r->remark[0] ? &short_pass : &headlines[r->verdict];
	bool judged = r->verdict != VERDICT_NONE;
	TEXT_DEFINE(words, 40);

	a = screen_large(s, a, judged ? large : small, h->inks,
			 h->words ? h->words : screen_mode(s)->result);
	if (!s->report->stage)
		return screen_below(a, 1);
	if (judged)
		text_add(&words, "%s", screen_mode(s)->named);
	screen_mode(s)->number(s, &words);
	return screen_below(screen_large(s, a, judged ? small : large, INK_BRIGHT, words.buf), 1);
}

void screen_end_facts(const struct report *r, const struct screen_end *end, lines_put *line,
		      void *ctx)
{
	if (end->facts) {
		lines_split(end->facts, line, ctx);
		return;
	}
	if (r->stage)
		summary_print(&r->summary.record, end->sid, line, ctx);
	summary_print_stages(&r->summary, line, ctx);
}

static void print_string(const char *s, lines_put *line, void *ctx)
{
	line(ctx, s, strlen(s));
}

/* Print remark, reasons, notes and facts, line by line; *ink is the color of the line. */
static void print_lines(const struct report *report, const struct screen_end *end, uint8_t *ink,
			lines_put *line, void *ctx)
{
	const struct verdict_reasons *r = end->reasons;

	*ink = INK_WARN;
	if (r->remark[0])
		print_string(r->remark, line, ctx);
	*ink = INK_BRIGHT;
	for (unsigned i = 0; i < r->count; i++)
		print_string(r->text[i], line, ctx);
	*ink = INK_WARN;
	for (unsigned i = 0; end->notes && end->notes[i]; i++)
		print_string(end->notes[i], line, ctx);
	*ink = INK_TEXT;
	screen_end_facts(report, end, line, ctx);
}

void screen_end_text(const struct record_begin *begin, const struct report *report,
		     const struct screen_end *end, lines_put *line, void *ctx)
{
	struct lines lines;
	uint8_t ink;

	lines_init(&lines, line, ctx);
	if (end->about)
		lines_split(end->about, line, ctx);
	else if (report->stage)
		record_kind_of(RECORD_BEGIN)->text(&lines, begin, &(struct record_context){ 0 });
	text_add(&lines.out, "verdict: %s", verdict_name(end->reasons->verdict));
	lines_end(&lines);
	print_lines(report, end, &ink, line, ctx);
	print_string(end->what_next, line, ctx);
}

/* Position of lines that follow each other down an area. */
struct flow {
	struct screen *s;
	const struct screen_area *a;
	unsigned n;
	uint8_t ink;
};

static void draw_line(void *ctx, const char *line, size_t bytes)
{
	struct flow *f = ctx;

	(void)bytes;
	f->n = screen_wrap(f->s, f->a, f->n, f->ink, line);
}

/* Least width of the area beside a code, columns. */
#define BESIDE_CODE 34u

/*
 * Draw the code on the right, between the head and the foot line, if there is room. *beside becomes
 * the area left of it, *under the area below it, which is empty without a code.
 */
static void draw_code(struct screen *s, const struct screen_code *code, struct screen_area between,
		      struct screen_area *beside, struct screen_area *under)
{
	unsigned columns = code ? screen_code_columns(code) : 0;

	*under = (struct screen_area){ 0 };
	if (!code || columns + BESIDE_CODE + 1 > between.width)
		return;
	between.x += between.width - columns;
	between.width = columns;
	between.height -= between.height ? 1 : 0;
	if (!screen_draw_code(s, &between, code))
		return;
	beside->width -= columns + 1;
	*under = screen_below(between, screen_code_rows(code) + 1);
}

/* Height of a table of few cores; smaller tables do not get the whole width. */
#define TABLE_LINES 3u

/* Choose the area for the rest: below the facts or, if there is no room, below the code. */
static struct screen_area choose_rest(const struct screen_area *a, const struct screen_area *facts,
				      const struct screen_area *under)
{
	unsigned line = facts->y + (facts->y > a->y);
	struct screen_area rest;

	if (under->width && line < under->y)
		line = under->y;
	rest = screen_below(*a, line - a->y);
	return rest.height < TABLE_LINES && under->height > rest.height ? *under : rest;
}

void screen_end(struct screen *s, const struct screen_end *end)
{
	struct screen_area between = screen_head(s), a = screen_below(between, 1), beside, under;
	struct flow f = { .s = s, .a = &beside };

	screen_foot(s, &a, end->what_next);
	beside = a;
	draw_code(s, end->code, between, &beside, &under);
	beside = draw_verdict(s, beside, end->reasons);
	print_lines(s->report, end, &f.ink, draw_line, &f);
	beside = screen_below(beside, f.n);
	if (s->report->stage)
		screen_mode(s)->cores(s, choose_rest(&a, &beside, &under));
}
