/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages. */
#include "screen.h"

#include "core/config/config_keys.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "screen_draw.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#define HEAD_LINES 3

/* Print text at column x of the area's line n, if this is within its height. */
static void screen_print(struct screen *s, const struct screen_area *a, unsigned x, unsigned n,
			 uint8_t inks, const char *text)
{
	if (n < a->height && x < a->width)
		cells_text(&s->cells, a->x + x, a->y + n, a->width - x, inks, text);
}

/* screen_print() aligned to the right edge, but not before column x. */
static void screen_print_right(struct screen *s, const struct screen_area *a, unsigned x,
			       unsigned n, uint8_t inks, const char *text)
{
	screen_print(s, a, (unsigned)arith_max(x, arith_less(a->width, strlen(text))), n, inks,
		     text);
}

/* Number of characters of a line: as many whole words as fit, at least one. */
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

void screen_flow_line(void *ctx, const char *line, size_t bytes)
{
	struct screen_flow *f = ctx;

	(void)bytes;
	if (f->n >= f->a.height) {
		f->missing++;
		return;
	}
	f->n = screen_wrap(f->s, &f->a, f->n, f->ink, line);
}

void screen_flow_end(struct screen_flow *f)
{
	TEXT_DEFINE(words, 40);

	text_add(&words, "  and %u more lines", f->missing);
	if (f->missing && f->a.height)
		screen_print_right(f->s, &f->a, 0, f->a.height - 1, INK_FAINT, words.buf);
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

void screen_name(struct screen_head *h, const struct record_begin *b)
{
	memset(h, 0, sizeof(*h));
	text_print(h->version, sizeof(h->version), "noisefloor %s", or_nothing(b->version));
	text_print(h->machine, sizeof(h->machine), "%s %s", or_nothing(b->machine.vendor),
		   or_nothing(b->machine.product));
	text_print(h->firmware, sizeof(h->firmware), "BIOS %s %s %s",
		   or_nothing(b->machine.bios_vendor), or_nothing(b->machine.bios_version),
		   or_nothing(b->machine.bios_date));
	text_print(h->processor, sizeof(h->processor), "%s", or_nothing(b->cpu.brand));
	if (b->cpus.found)
		text_print(h->cores, sizeof(h->cores), "%u of %u cores measured",
			   (unsigned)b->cpus.measured, (unsigned)b->cpus.found);
}

/* Draw texts at the left and at the right of the area's line n. */
static void draw_pair(struct screen *s, const struct screen_area *a, unsigned n,
		      const uint8_t inks[2], const char *left, const char *right)
{
	screen_print(s, a, 0, n, inks[0], left);
	screen_print_right(s, a, (unsigned)strlen(left) + 2, n, inks[1], right);
}

struct screen_area screen_draw_head(struct screen *s, const struct screen_head *h)
{
	static const uint8_t top[] = { ON_PANEL(INK_BRIGHT), ON_PANEL(INK_TEXT) };
	static const uint8_t faint[] = { INK_FAINT, INK_FAINT };
	struct screen_area a = page(s);

	cells_clear(&s->cells);
	for (unsigned x = 0; x < s->cells.columns; x++)
		cells_put(&s->cells, x, 0, ' ', ON_PANEL(INK_TEXT));
	draw_pair(s, &a, 0, top, h->version, h->machine);
	draw_pair(s, &a, 1, faint, h->firmware, "");
	draw_pair(s, &a, 2, faint, h->processor, h->cores);
	return screen_below(a, HEAD_LINES);
}

/* The top of a page about this machine. */
static struct screen_area begin_page(struct screen *s)
{
	struct screen_head head;

	screen_name(&head, s->begin);
	return screen_below(screen_draw_head(s, &head), 1);
}

/* The largest scale at which the text fits. */
static unsigned scale_for(const char *text, unsigned width, unsigned height)
{
	unsigned scale = strlen(text) ? width / (unsigned)strlen(text) : 1;

	if (scale > height)
		scale = height;
	if (scale > CELLS_SCALE_MAX)
		scale = CELLS_SCALE_MAX;
	return scale ? scale : 1;
}

struct screen_area screen_large(struct screen *s, struct screen_area a, unsigned height,
				uint8_t inks, const char *text)
{
	unsigned scale = scale_for(text, a.width, height);

	if (scale <= a.height)
		cells_large(&s->cells, a.x, a.y, scale, inks, text);
	return screen_below(a, scale);
}

void screen_start(struct screen *s, const struct screen_question *q)
{
	struct screen_area a = begin_page(s);
	const char *typed = q->typed;
	TEXT_DEFINE(words, SCREEN_LINE);
	unsigned n;

	if (q->seconds)
		text_add(&words, "starts in %llu s", (unsigned long long)q->seconds);
	else
		text_add(&words, "ready");
	a = screen_below(screen_large(s, a, a.height / 8, INK_BRIGHT, words.buf), 1);
	screen_print(s, &a, 0, 0, INK_FAINT, "CONFIGURATION");
	n = screen_wrap(s, &a, 1, INK_BRIGHT, q->config);
	n = screen_wrap(s, &a, n + 1, INK_FAINT,
			"Enter starts now. Esc leaves. To change something, type key=value "
			"and Enter, as in duration=10m or stages=bare,handoff");
	n = screen_wrap(s, &a, n + 1, INK_BAD, q->complaint);
	/* If it does not fit, show its end. */
	if (strlen(q->typed) + 3 > a.width)
		typed += strlen(q->typed) + 3 - a.width;
	text_reset(&words);
	text_add(&words, "> %s_", typed);
	screen_print(s, &a, 0, n, INK_BRIGHT, words.buf);
}

void screen_wait(struct screen *s, const char *what)
{
	struct screen_area a = begin_page(s);

	screen_print(s, &a, 0, 0, INK_TEXT, what);
}

const struct screen_mode *screen_mode(const struct report *r)
{
	static const struct screen_mode *const modes[MODES] = {
#define MODE(id, name) &screen_mode_##name,
#include "core/config/mode_rows.h"
	};

	return modes[r->config->mode];
}

/* Completed windows of the stage. */
static uint64_t windows_done(const struct report *r)
{
	const struct record_window *last = r->log.used ? &r->log.window[r->log.used - 1] : NULL;

	if (r->progress.turns)
		return r->progress.turns;
	return last ? last->n + last->windows - 1 : 0;
}

/* Sampling time left until the end of the run. */
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
	TEXT_DEFINE(stage, 40);
	TEXT_DEFINE(words, 120);

	text_add(&stage, "stage %s", r->stage);
	text_add(&words, "%s %llu of %llu", screen_mode(r)->counts,
		 (unsigned long long)(done < of ? done + 1 : of), (unsigned long long)of);
	if (screen_mode(r)->timed) {
		text_add(&words, ", ");
		print_span(&words, time_left(r));
		text_add(&words, " left");
	}
	screen_print(s, &a, 0, 0, INK_BRIGHT, stage.buf);
	screen_print_right(s, &a, 0, 0, INK_TEXT, words.buf);
	for (unsigned x = 0; x < a.width && a.height > 1; x++) {
		unsigned n = eighths > 8 * x ? eighths - 8 * x : 0;

		cells_put(&s->cells, a.x + x, a.y + 1, n ? GLYPH_LEFT(n < 8 ? n : 8) : ' ',
			  ON_PANEL(INK_BAR));
	}
	return screen_below(a, 3);
}

/* Draw the name of the mode's number, its limit, the number in large letters, and its origin. */
static struct screen_area draw_number(struct screen *s, struct screen_area a)
{
	const struct report *r = s->report;
	const struct screen_mode *mode = screen_mode(r);
	const struct config_limit *limit = mode->limit != LIMITS ? &r->config->limit[mode->limit]
								 : NULL;
	bool is_over = limit && limit_exceeded(r->config, mode->limit, mode->value(r));
	TEXT_DEFINE(words, SCREEN_LINE);

	text_add(&words, "%s", mode->heading);
	if (limit && limit->set) {
		text_add(&words, ", limit ");
		limit_row(mode->limit)->unit->print(&words, limit->value);
	}
	screen_print(s, &a, 0, 0, INK_FAINT, words.buf);
	text_reset(&words);
	mode->number(r, &words);
	a = screen_large(s, screen_below(a, 1), a.height / 8, is_over ? INK_BAD : INK_BRIGHT,
			 words.buf);
	text_reset(&words);
	if (mode->origin)
		mode->origin(r, &words);
	screen_print(s, &a, 0, 0, INK_FAINT, words.buf);
	return screen_below(a, 2);
}

void screen_foot(struct screen *s, struct screen_area *a, const char *words)
{
	if (a->height < 2)
		return;
	screen_print(s, a, 0, a->height - 1, INK_FAINT, words);
	a->height -= 2;
}

void screen_live(struct screen *s, const char *keys)
{
	struct screen_area a = begin_page(s);
	struct screen_flow flow = { .s = s, .ink = INK_TEXT };
	struct lines lines;

	screen_foot(s, &a, keys);
	a = draw_progress(s, a);
	flow.a = draw_number(s, a);
	lines_init(&lines, screen_flow_line, &flow);
	screen_mode(s->report)->lines(s->report, &lines);
}
