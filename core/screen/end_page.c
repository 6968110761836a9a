/* SPDX-License-Identifier: BSD-2-Clause */
/* The end page: made, checked, drawn, printed. */
#include "end_page.h"

#include "core/lib/mem.h"
#include "core/records/record_kind.h"
#include "screen_code.h"

/* ---- Making it ---- */

static void add_line(void *ctx, const char *line, size_t bytes)
{
	struct text *t = ctx;

	if (t->len + bytes + 2 > t->cap)
		return;
	text_bytes(t, line, bytes);
	text_char(t, '\n');
}

/* Have `lines` write to a text of the page. */
static void lines_into(struct lines *lines, struct text *t, char *buf, size_t cap)
{
	text_init(t, buf, cap);
	lines_init(lines, add_line, t);
}

static void make_lines(struct end_page *p, const struct record_begin *begin, const struct report *r,
		       uint64_t sid)
{
	struct lines lines;
	struct text t;

	lines_into(&lines, &t, p->about, sizeof(p->about));
	record_kind_of(RECORD_BEGIN)->text(&lines, begin, &(struct record_context){ 0 });
	lines_into(&lines, &t, p->facts, sizeof(p->facts));
	summary_print(&r->summary.record, sid, add_line, &t);
	summary_print_stages(&r->summary, add_line, &t);
	lines_into(&lines, &t, p->lines, sizeof(p->lines));
	screen_mode(r)->lines(r, &lines);
}

void end_page_make(struct end_page *p, const struct record_begin *begin, const struct report *r,
		   const struct verdict_reasons *reasons, uint64_t sid)
{
	const struct screen_mode *mode = screen_mode(r);
	struct text t;

	memset(p, 0, sizeof(*p));
	screen_name(&p->head, begin);
	p->reasons = *reasons;
	text_print(p->heading, sizeof(p->heading), "%s", mode->heading);
	if (!r->stage)
		return;
	text_init(&t, p->number, sizeof(p->number));
	if (reasons->verdict != VERDICT_NONE)
		text_add(&t, "%s", mode->named);
	mode->number(r, &t);
	make_lines(p, begin, r, sid);
}

/* ---- Checking it ---- */

/* Terminate a text, and replace its unprintable bytes; newlines stay. */
static void end_page_clean(char *text, size_t cap)
{
	text[cap - 1] = '\0';
	for (; *text; text++)
		if ((*text < ' ' && *text != '\n') || *text > '~')
			*text = '?';
}

bool end_page_check(struct end_page *p, size_t bytes)
{
	if (bytes != sizeof(*p) || p->reasons.verdict >= VERDICTS ||
	    p->reasons.count >= RECORD_STRINGS)
		return false;
#define CLEAN(member) end_page_clean(p->member, sizeof(p->member))
	CLEAN(head.version);
	CLEAN(head.machine);
	CLEAN(head.firmware);
	CLEAN(head.processor);
	CLEAN(head.cores);
	for (unsigned i = 0; i < p->reasons.count; i++)
		CLEAN(reasons.text[i]);
	CLEAN(reasons.remark);
	CLEAN(heading);
	CLEAN(number);
	CLEAN(about);
	CLEAN(facts);
	CLEAN(lines);
	CLEAN(code);
	return true;
}

/* ---- Its sentences, for pixels and for text ---- */

static void print_string(const char *s, lines_put *line, void *ctx)
{
	line(ctx, s, strlen(s));
}

/* Print remark, reasons, notes and facts, line by line; *ink is the color of the line. */
static void print_sentences(const struct end_page *p, const struct end_page_notes *notes,
			    uint8_t *ink, lines_put *line, void *ctx)
{
	const struct verdict_reasons *r = &p->reasons;

	*ink = INK_WARN;
	if (r->remark[0])
		print_string(r->remark, line, ctx);
	*ink = INK_BRIGHT;
	for (unsigned i = 0; i < r->count; i++)
		print_string(r->text[i], line, ctx);
	*ink = INK_WARN;
	for (unsigned i = 0; notes->notes && notes->notes[i]; i++)
		print_string(notes->notes[i], line, ctx);
	*ink = INK_TEXT;
	lines_split(p->facts, line, ctx);
}

void end_page_print(const struct end_page *p, const struct end_page_notes *notes, lines_put *line,
		    void *ctx)
{
	struct lines lines;
	uint8_t ink;

	lines_init(&lines, line, ctx);
	lines_split(p->about, line, ctx);
	text_add(&lines.out, "verdict: %s", verdict_name(p->reasons.verdict));
	lines_end(&lines);
	print_sentences(p, notes, &ink, line, ctx);
	print_string(notes->what_next, line, ctx);
}

/* ---- Drawing it ---- */

struct headline {
	const char *words; /* NULL: the page's heading */
	uint8_t inks;
};

static const struct headline headlines[] = {
	[VERDICT_NONE] = { NULL, INK_FAINT },   [VERDICT_PASS] = { "PASS", INK_GOOD },
	[VERDICT_FAIL] = { "FAIL", INK_BAD },   [VERDICT_INCOMPLETE] = { "INCOMPLETE", INK_WARN },
	[VERDICT_ERROR] = { "ERROR", INK_BAD },
};

static const struct headline short_pass = { "PASS, BUT SHORT", INK_WARN };

/*
 * Draw the verdict in large letters and the mode's number below it; without limits, the number in
 * large letters.
 */
static struct screen_area draw_verdict(struct screen *s, struct screen_area a,
				       const struct end_page *p)
{
	unsigned large = a.height / 3, small = a.height / 9;
	const struct headline *h = p->reasons.remark[0] ? &short_pass
							: &headlines[p->reasons.verdict];
	bool judged = p->reasons.verdict != VERDICT_NONE;

	a = screen_large(s, a, judged ? large : small, h->inks, h->words ? h->words : p->heading);
	if (p->number[0])
		a = screen_large(s, a, judged ? small : large, INK_BRIGHT, p->number);
	return screen_below(a, 1);
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

void end_page_draw(struct screen *s, const struct end_page *p, const struct end_page_notes *notes,
		   const struct screen_code *code)
{
	struct screen_area between = screen_draw_head(s, &p->head);
	struct screen_area a = screen_below(between, 1), under;
	struct screen_flow flow = { .s = s };

	screen_foot(s, &a, notes->what_next);
	flow.a = a;
	draw_code(s, code, between, &flow.a, &under);
	flow.a = draw_verdict(s, flow.a, p);
	print_sentences(p, notes, &flow.ink, screen_flow_line, &flow);
	flow.a = screen_below(flow.a, flow.n);
	flow.a = choose_rest(&a, &flow.a, &under);
	flow.n = flow.missing = 0;
	lines_split(p->lines, screen_flow_line, &flow);
	screen_flow_end(&flow);
}
