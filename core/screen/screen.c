/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages. */
#include "screen.h"

#include "core/lib/mem.h"
#include "screen_code.h"
#include "screen_draw.h"
#include "screen_mode.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#define HEAD_LINES 3

void screen_init(struct screen *s, const struct report *report, const struct record_begin *begin)
{
	s->report = report;
	s->begin = begin;
	s->stage = NULL;
	s->events = 0;
}

static void print_cut(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		      uint8_t inks, const char *text)
{
	if (n < a->height && x < a->width)
		cells_text(&s->cells, a->x + x, a->y + n, a->width - x, inks, text);
}

/* At x, or further right where the text then ends with the line. Returns its length. */
static unsigned vprint(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		       bool right, uint8_t inks, const char *format, va_list args)
{
	TEXT_DEFINE(t, SCREEN_LINE);

	text_vadd(&t, format, args);
	if (right && x + t.len < a->width)
		x = a->width - (unsigned)t.len;
	print_cut(s, a, x, n, inks, t.buf);
	return (unsigned)t.len;
}

unsigned screen_print(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
		      uint8_t inks, const char *format, ...)
{
	va_list args;
	unsigned length;

	va_start(args, format);
	length = vprint(s, a, x, n, false, inks, format, args);
	va_end(args);
	return length;
}

void screen_print_right(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
			uint8_t inks, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprint(s, a, x, n, true, inks, format, args);
	va_end(args);
}

/* How many characters of the words go into a line: as many whole words as fit, at least one. */
static size_t line_length(const char *words, unsigned width)
{
	size_t n = 0, fits = 0;

	while (words[n] && n <= width) {
		if (words[n] == ' ')
			fits = n;
		n++;
	}
	if (!words[n] && n <= width)
		return n;
	return fits ? fits : width;
}

unsigned screen_wrap(struct screen *s, const struct screen_area *a, unsigned n, uint8_t inks,
		     const char *words)
{
	while (*words && n < a->height && a->width) {
		size_t bytes = line_length(words, a->width);

		cells_text(&s->cells, a->x, a->y + n++, (unsigned)bytes, inks, words);
		words += bytes;
		while (*words == ' ')
			words++;
	}
	return n;
}

/* The page without its margins. */
static struct screen_area page(const struct screen *s)
{
	const struct cells *c = &s->cells;
	unsigned margin = c->columns >= 40 ? 1 : 0;

	return (struct screen_area){ margin, 0, c->columns - 2 * margin, c->rows };
}

static const char *or_nothing(const char *s)
{
	return s ? s : "";
}

static struct screen_area draw_head(struct screen *s)
{
	const struct record_begin *b = s->begin;
	struct screen_area a = page(s);
	unsigned x;

	cells_clear(&s->cells);
	for (x = 0; x < s->cells.columns; x++)
		cells_put(&s->cells, x, 0, ' ', ON_PANEL(INK_TEXT));
	x = screen_print(s, &a, 0, 0, ON_PANEL(INK_BRIGHT), "noisefloor %s",
			 or_nothing(b->version));
	screen_print_right(s, &a, x + 2, 0, ON_PANEL(INK_TEXT), "%s %s",
			   or_nothing(b->machine.vendor), or_nothing(b->machine.product));
	screen_print(s, &a, 0, 1, INK_FAINT, "BIOS %s %s %s", or_nothing(b->machine.bios_vendor),
		     or_nothing(b->machine.bios_version), or_nothing(b->machine.bios_date));
	x = screen_print(s, &a, 0, 2, INK_FAINT, "%s", or_nothing(b->cpu.brand));
	if (b->cpus.found)
		screen_print_right(s, &a, x + 2, 2, INK_FAINT, "%u of %u cores measured",
				   (unsigned)b->cpus.measured, (unsigned)b->cpus.found);
	return screen_below(a, HEAD_LINES);
}

/* The largest scale at which the text has room. */
static unsigned scale_for(const char *text, unsigned width, unsigned height)
{
	unsigned scale = strlen(text) ? width / (unsigned)strlen(text) : 1;

	if (scale > height)
		scale = height;
	if (scale > CELLS_SCALE_MAX)
		scale = CELLS_SCALE_MAX;
	return scale ? scale : 1;
}

/* Large letters at the top of the area; returns what is below. */
static struct screen_area draw_large(struct screen *s, struct screen_area a, unsigned height,
				     uint8_t inks, const char *text)
{
	unsigned scale = scale_for(text, a.width, height);

	if (scale <= a.height)
		cells_large(&s->cells, a.x, a.y, scale, inks, text);
	return screen_below(a, scale);
}

/* Is it one of the words of a text, which single blanks separate? */
static bool has_word(const char *text, const char *word, size_t bytes)
{
	for (; *text; text += *text == ' ') {
		size_t n = 0;

		while (text[n] && text[n] != ' ')
			n++;
		if (n == bytes && !memcmp(text, word, n))
			return true;
		text += n;
	}
	return false;
}

/* Words, wrapped; those that are not among `usual` stand out. Returns the next line. */
static unsigned draw_config(struct screen *s, const struct screen_area *a, unsigned n,
			    const char *words, const char *usual)
{
	unsigned x = 0;

	while (*words) {
		unsigned bytes = 0;

		while (words[bytes] && words[bytes] != ' ')
			bytes++;
		if (x && x + bytes > a->width) {
			x = 0;
			n++;
		}
		if (n < a->height)
			cells_text(&s->cells, a->x + x, a->y + n, bytes,
				   has_word(usual, words, bytes) ? INK_FAINT : INK_BRIGHT, words);
		x += bytes + 1;
		words += bytes + (words[bytes] == ' ');
	}
	return n + 1;
}

void screen_start(struct screen *s, const struct screen_question *q)
{
	struct screen_area a = screen_below(draw_head(s), 1);
	const char *typed = q->typed;
	TEXT_DEFINE(words, 40);
	unsigned n;

	if (q->seconds)
		text_add(&words, "starts in %llu s", (unsigned long long)q->seconds);
	else
		text_add(&words, "ready");
	a = screen_below(draw_large(s, a, a.height / 8, INK_BRIGHT, words.buf), 1);
	screen_print(s, &a, 0, 0, INK_FAINT, "CONFIGURATION");
	n = draw_config(s, &a, 1, q->config, q->usual) + 1;
	n = screen_wrap(s, &a, n, INK_FAINT,
			"Enter starts now. Esc leaves. To change something, type key=value "
			"and Enter, as in duration=10m or stages=bare,handoff");
	n = screen_wrap(s, &a, n + 1, INK_BAD, q->complaint);
	/* The end of what does not fit. */
	if (strlen(q->typed) + 3 > a.width)
		typed += strlen(q->typed) + 3 - a.width;
	screen_print(s, &a, 0, n, INK_BRIGHT, "> %s_", typed);
}

void screen_wait(struct screen *s, const char *what)
{
	struct screen_area a = screen_below(draw_head(s), 1);

	screen_print(s, &a, 0, 0, INK_TEXT, "%s", what);
}

const struct cpu *screen_worst(const struct screen *s)
{
	const struct platform *p = s->report->platform;
	const struct cpu *worst = NULL;

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].stage.max > (worst ? worst->stage.max : 0))
			worst = &p->cpu[i];
	return worst;
}

static const struct screen_mode *mode(const struct screen *s)
{
	return screen_mode_of(s->report->config);
}

/* Windows of the stage that are over. */
static uint64_t windows_done(const struct report *r)
{
	const struct report_window *last = r->log.used ? &r->log.window[r->log.used - 1] : NULL;

	if (r->progress.turns)
		return r->progress.turns;
	return last ? last->n + last->windows - 1 : 0;
}

/* Sampling time from here to the end of the run. */
static uint64_t time_left(const struct report *r)
{
	const struct config *c = r->config;
	uint64_t window = c->quiet ? c->duration_ns : c->window_ns;
	uint64_t done = windows_done(r) * window;
	uint64_t left = done < c->duration_ns ? c->duration_ns - done : 0;
	bool later = false;

	for (unsigned i = 0; i < STAGES; i++) {
		if (later && c->stages >> i & 1)
			left += c->duration_ns;
		later = later || !strcmp(config_stage_name((enum config_stage)i), r->stage);
	}
	return left;
}

static void print_span(struct text *t, uint64_t ns)
{
	unsigned long long s = (ns + NS_PER_S - 1) / NS_PER_S;

	if (s >= 3600)
		text_add(t, "%llu h %02llu min", s / 3600, s / 60 % 60);
	else if (s >= 60)
		text_add(t, "%llu min %02llu s", s / 60, s % 60);
	else
		text_add(t, "%llu s", s);
}

static struct screen_area draw_progress(struct screen *s, struct screen_area a)
{
	const struct report *r = s->report;
	uint64_t done = windows_done(r), of = r->progress.planned ? r->progress.planned : 1;
	unsigned eighths = (unsigned)(done >= of ? a.width * 8 : a.width * 8 * done / of);
	TEXT_DEFINE(left, 40);

	if (mode(s)->timed) {
		text_add(&left, ", ");
		print_span(&left, time_left(r));
		text_add(&left, " left");
	}
	screen_print(s, &a, 0, 0, INK_BRIGHT, "stage %s", r->stage);
	screen_print_right(s, &a, 0, 0, INK_TEXT, "%s %llu of %llu%s", mode(s)->counts,
			   (unsigned long long)(done < of ? done + 1 : of), (unsigned long long)of,
			   left.buf);
	for (unsigned x = 0; x < a.width && a.height > 1; x++) {
		unsigned n = eighths > 8 * x ? eighths - 8 * x : 0;

		cells_put(&s->cells, a.x + x, a.y + 1, n ? GLYPH_LEFT(n < 8 ? n : 8) : ' ',
			  ON_PANEL(INK_BAR));
	}
	return screen_below(a, 3);
}

/* Its name, and what it is judged by. */
static void draw_worst_head(struct screen *s, const struct screen_area *a)
{
	TEXT_DEFINE(limit, 40);

	screen_mode_limit(s, &limit);
	screen_print(s, a, 0, 0, INK_FAINT, "%s%s%s", mode(s)->heading, limit.len ? ", limit " : "",
		     limit.buf);
}

static struct screen_area draw_worst(struct screen *s, struct screen_area a)
{
	unsigned half = a.width < 2 * SCREEN_EVENT_WIDTH && a.width > SCREEN_EVENT_WIDTH
				? a.width - SCREEN_EVENT_WIDTH
				: a.width / 2;
	unsigned scale;
	struct screen_area left = { a.x, a.y, half, a.height };
	struct screen_area right = { a.x + half, a.y, a.width - half, a.height };
	TEXT_DEFINE(longest, 24);

	mode(s)->number(s, &longest);
	scale = scale_for("1234 us", half, a.height / 8);
	draw_worst_head(s, &left);
	draw_large(s, screen_below(left, 1), scale, screen_mode_is_over(s) ? INK_BAD : INK_BRIGHT,
		   longest.buf);
	if (!mode(s)->details)
		return screen_below(a, scale + 2);
	mode(s)->details(s, left, right, scale + 1);
	return screen_below(a, scale + 3);
}

static void draw_foot(struct screen *s, struct screen_area *a, const char *words)
{
	if (a->height < 2)
		return;
	print_cut(s, a, 0, a->height - 1, INK_FAINT, words);
	a->height -= 2;
}

void screen_live(struct screen *s, const char *keys)
{
	struct screen_area a = screen_below(draw_head(s), 1);

	draw_foot(s, &a, keys);
	a = draw_progress(s, a);
	a = draw_worst(s, a);
	mode(s)->cores(s, a);
}

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
 * The verdict large and the longest gap beneath; or, where there was nothing to judge, that large.
 */
static struct screen_area draw_verdict(struct screen *s, struct screen_area a,
				       const struct verdict_reasons *r)
{
	unsigned large = a.height / 3, small = a.height / 9;
	const struct headline *h = r->remark[0] ? &short_pass : &headlines[r->verdict];
	bool judged = r->verdict != VERDICT_NONE;
	TEXT_DEFINE(words, 40);

	a = draw_large(s, a, judged ? large : small, h->inks,
		       h->words ? h->words : mode(s)->result);
	if (!s->report->stage)
		return screen_below(a, 1);
	if (judged)
		text_add(&words, "%s", mode(s)->named);
	mode(s)->number(s, &words);
	return screen_below(draw_large(s, a, judged ? small : large, INK_BRIGHT, words.buf), 1);
}

/* Lines that follow each other down an area. */
struct flow {
	struct screen *s;
	const struct screen_area *a;
	unsigned n;
};

static void add_fact(void *ctx, const char *line, size_t bytes)
{
	struct flow *f = ctx;

	(void)bytes;
	f->n = screen_wrap(f->s, f->a, f->n, INK_TEXT, line);
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

/* Why, what else is to be known, and what was measured by which limits. Returns the next line. */
static unsigned draw_facts(struct screen *s, const struct screen_area *a,
			   const struct screen_end *end)
{
	const struct verdict_reasons *r = end->reasons;
	struct flow f = { .s = s, .a = a };

	if (r->remark[0])
		f.n = screen_wrap(s, a, f.n, INK_WARN, r->remark);
	for (unsigned i = 0; i < r->count; i++)
		f.n = screen_wrap(s, a, f.n, INK_BRIGHT, r->text[i]);
	for (unsigned i = 0; end->notes && end->notes[i]; i++)
		f.n = screen_wrap(s, a, f.n, INK_WARN, end->notes[i]);
	screen_end_facts(s->report, end, add_fact, &f);
	return f.n;
}

/* What stands beside a code is at least as wide. */
#define BESIDE_CODE 34u

/*
 * Draw the code on the right, between the head and the foot line, if there is room. *beside is cut
 * to what is left of it, *under is what is below it; without a code as high as nothing.
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

/* Lines of a table of few cores; what has fewer is not worth the whole width. */
#define TABLE_LINES 3u

/* Below the facts; or, where these leave no room, below the code. */
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
	struct screen_area between = draw_head(s), a = screen_below(between, 1), beside, under;

	draw_foot(s, &a, end->what_next);
	beside = a;
	draw_code(s, end->code, between, &beside, &under);
	beside = draw_verdict(s, beside, end->reasons);
	beside = screen_below(beside, draw_facts(s, &beside, end));
	if (s->report->stage)
		mode(s)->cores(s, choose_rest(&a, &beside, &under));
}
