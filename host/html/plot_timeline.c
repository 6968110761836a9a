/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps are sorted into cells, time by core, which bounds the drawing's size. */
#include "html.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS  1000 /* time steps, 1 wide */
#define STEPS    (COLUMNS + 1)
#define ROWS_MAX 256
#define LEFT     62
#define TOP      8
#define HEIGHT   150 /* height of the upper part */
#define APART    14

struct cells {
	const struct result_stage *of;
	uint64_t limit_ns; /* on a gap's length; 0: none */
	struct plot_scale time, length;
	size_t rows, per_row; /* cores in a row */
	unsigned row_height;
	uint32_t causes;
	int32_t *delta; /* where bars begin, less where they end: CAUSES x rows x STEPS */
	int32_t watching[COLUMNS + 1];     /* change in the number of windows at each step */
	uint16_t *cause;                   /* bits, rows x COLUMNS */
	uint64_t longest[CAUSES][COLUMNS]; /* ns */
	bool watched[COLUMNS];
};

/* ---- What there is ---- */

static void find_range(struct cells *c)
{
	const struct result_stage *s = c->of;

	c->time = (struct plot_scale){ .low = 1e30, .from = 0, .to = COLUMNS };
	c->length = (struct plot_scale){ .low = 1e30, .from = HEIGHT, .to = 0, .log = true };
	for (size_t i = 0; i < s->windows; i++) {
		plot_widen(&c->time, (double)s->window[i].start_ns);
		plot_widen(&c->time, (double)s->window[i].start_ns + (double)s->window[i].len_ns);
	}
	for (size_t i = 0; i < s->gaps; i++) {
		double length = (double)s->gap[i].len_ns;

		plot_widen(&c->time, (double)s->gap[i].t_ns);
		plot_widen(&c->time, (double)s->gap[i].t_ns + length);
		if (length >= 1)
			plot_widen(&c->length, length);
	}
	if (c->limit_ns)
		plot_widen(&c->length, (double)c->limit_ns);
	/* At least 1 us is shown. */
	if (c->time.high < c->time.low + 1e3)
		c->time.high = c->time.low * (1 + 1e-9) + 1e3;
	if (c->length.low > c->length.high)
		c->length.low = c->length.high = 1000;
	plot_decades(&c->length);
}

static int column(const struct cells *c, double t_ns)
{
	int at = (int)plot_place(&c->time, t_ns);

	return at < COLUMNS ? at : COLUMNS - 1;
}

static int by_number(const void *key, const void *element)
{
	uint32_t cpu = *(const uint32_t *)key, other = ((const struct record_cpu *)element)->cpu;

	return ORDER(cpu, other);
}

/* A core's row; -1 for one without a record. */
static long row_of(const struct cells *c, uint32_t cpu)
{
	const struct record_cpu *found = c->of->cpus ? bsearch(&cpu, c->of->cpu, c->of->cpus,
							       sizeof(*found), by_number)
						     : NULL;

	return found ? (found - c->of->cpu) / (long)c->per_row : -1;
}

static void sort_gap(struct cells *c, const struct result_gap *g)
{
	int first = column(c, (double)g->t_ns);
	int last = column(c, (double)g->t_ns + (double)g->len_ns);
	long row = row_of(c, g->cpu);
	int32_t *delta;

	c->causes |= 1u << g->cause;
	if (g->len_ns > c->longest[g->cause][first])
		c->longest[g->cause][first] = g->len_ns;
	if (row < 0)
		return;
	delta = c->delta + ((size_t)g->cause * c->rows + (size_t)row) * STEPS;
	delta[first]++;
	delta[last + 1]--;
}

static void sort_window(struct cells *c, const struct result_window *w)
{
	c->watching[column(c, (double)w->start_ns)]++;
	c->watching[column(c, (double)w->start_ns + (double)w->len_ns) + 1]--;
}

/* Convert begins and ends of bars to the cells that they cover. */
static void cover(struct cells *c)
{
	int32_t windows = 0;

	for (unsigned cause = 0; cause < CAUSES; cause++) {
		for (size_t row = 0; row < c->rows; row++) {
			const int32_t *delta = c->delta + (cause * c->rows + row) * STEPS;
			int32_t covers = 0;

			for (int at = 0; at < COLUMNS; at++) {
				covers += delta[at];
				if (covers)
					c->cause[row * COLUMNS + (size_t)at] |=
						(uint16_t)(1u << cause);
			}
		}
	}
	for (int at = 0; at < COLUMNS; at++) {
		windows += c->watching[at];
		c->watched[at] = windows != 0;
	}
}

static void sort_all(struct cells *c)
{
	const struct result_stage *s = c->of;

	c->per_row = (c->of->cpus + ROWS_MAX - 1) / ROWS_MAX;
	c->per_row = c->per_row ? c->per_row : 1;
	c->rows = (c->of->cpus + c->per_row - 1) / c->per_row;
	c->row_height = c->rows <= 16 ? 14 : c->rows <= 64 ? 7 : 3;
	c->cause = memory_new((c->rows + 1) * COLUMNS, sizeof(*c->cause));
	c->delta = memory_new(CAUSES * (c->rows + 1) * STEPS, sizeof(*c->delta));
	for (size_t i = 0; i < s->gaps; i++)
		sort_gap(c, &s->gap[i]);
	for (size_t i = 0; i < s->windows; i++)
		sort_window(c, &s->window[i]);
	cover(c);
	free(c->delta);
}

/* ---- The drawing ---- */

static unsigned rows_top(void)
{
	return TOP + HEIGHT + APART;
}

static unsigned rows_height(const struct cells *c)
{
	return (unsigned)c->rows * c->row_height;
}

static void draw_limit(FILE *f, const struct cells *c)
{
	double y = TOP + plot_place(&c->length, (double)c->limit_ns);
	char length[24];

	if (!c->limit_ns)
		return;
	fprintf(f,
		"<path class=\"l\" d=\"M%d %.1fh%d\"/><text class=\"e t\" x=\"%d\" "
		"y=\"%.1f\">limit ",
		LEFT, y, COLUMNS, LEFT + COLUMNS, y - 3);
	fputs(html_duration(c->limit_ns, length), f);
	fputs("</text>\n", f);
}

static void draw_axes(FILE *f, const struct cells *c)
{
	struct plot_axes axes = { c->time,   c->length,
				  plot_time, plot_time,
				  LEFT,      TOP,
				  COLUMNS,   (int)(rows_top() + rows_height(c) + 8 - TOP) };

	axes.x.from += LEFT;
	axes.x.to += LEFT;
	axes.y.from += TOP;
	axes.y.to += TOP;
	plot_axes(f, &axes);
}

static void draw_marks(FILE *f, const struct cells *c, unsigned cause)
{
	fprintf(f, "<path class=\"f %s\" d=\"", html_cause_class((enum cause)cause));
	for (int at = 0; at < COLUMNS; at++) {
		uint64_t ns = c->longest[cause][at];

		if (ns)
			plot_mark(f, (enum cause)cause, LEFT + at,
				  (int)(TOP + plot_place(&c->length, (double)ns)));
	}
	fputs("\"/>\n", f);
}

/* Bars of a row, where the cause occurs, each from where the last one ended. */
static void draw_row(FILE *f, const struct cells *c, unsigned cause, size_t row)
{
	const uint16_t *cell = c->cause + row * COLUMNS;
	unsigned y = (unsigned)row * c->row_height + c->row_height / 2;
	int from = -1;

	for (int at = 0; at < COLUMNS; at++) {
		int first = at;

		if (!(cell[at] & 1u << cause))
			continue;
		while (at + 1 < COLUMNS && cell[at + 1] & 1u << cause)
			at++;
		if (from < 0)
			fprintf(f, "M%d %u", first, y);
		else
			fprintf(f, "m%d 0", first - from);
		fprintf(f, "h%d", at + 1 - first);
		from = at + 1;
	}
}

static void draw_rows(FILE *f, const struct cells *c, unsigned cause)
{
	fprintf(f, "<path class=\"k %s\" stroke-width=\"%u\" d=\"",
		html_cause_class((enum cause)cause),
		c->row_height > 3 ? c->row_height - 1 : c->row_height);
	for (size_t row = 0; row < c->rows; row++)
		draw_row(f, c, cause, row);
	fputs("\"/>\n", f);
}

static void draw_core_names(FILE *f, const struct cells *c)
{
	/* There is room for one about every 14 units. */
	size_t step = (14 + c->row_height - 1) / c->row_height;

	for (size_t row = 0; row < c->rows; row += step)
		fprintf(f, "<text class=\"e\" x=\"%d\" y=\"%u\">cpu %" PRIu32 "</text>", LEFT - 6,
			(unsigned)(rows_top() + row * c->row_height + c->row_height / 2 + 4),
			c->of->cpu[row * c->per_row].cpu);
}

static void draw_watched(FILE *f, const struct cells *c)
{
	fprintf(f, "<path class=\"w\" stroke-width=\"4\" d=\"");
	for (int at = 0; at < COLUMNS; at++) {
		int first = at;

		if (!c->watched[at])
			continue;
		while (at + 1 < COLUMNS && c->watched[at + 1])
			at++;
		fprintf(f, "M%d %uh%d", LEFT + first, rows_top() + rows_height(c) + 4,
			at + 1 - first);
	}
	fputs("\"/>\n", f);
}

static void draw(FILE *f, const struct cells *c)
{
	unsigned height = rows_top() + rows_height(c) + 26;

	fprintf(f,
		"<svg viewBox=\"0 0 1080 %u\" role=\"img\" aria-label=\"gaps over time, by length "
		"and by core\"><rect class=\"r\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\"/>\n",
		height, LEFT, rows_top(), COLUMNS, rows_height(c));
	draw_axes(f, c);
	draw_core_names(f, c);
	fputc('\n', f);
	draw_watched(f, c);
	/* The known causes last: they lie above. */
	for (unsigned n = CAUSES; n-- > 0;) {
		if (c->causes & 1u << n)
			draw_marks(f, c, n);
	}
	draw_limit(f, c);
	fprintf(f, "<g transform=\"translate(%d %u)\">\n", LEFT, rows_top());
	for (unsigned n = CAUSES; n-- > 0;) {
		if (c->causes & 1u << n)
			draw_rows(f, c, n);
	}
	fputs("</g></svg>\n", f);
}

uint32_t plot_timeline(FILE *f, const struct result_stage *stage, uint64_t limit_ns)
{
	static struct cells c;

	memset(&c, 0, sizeof(c));
	c.of = stage;
	c.limit_ns = limit_ns;
	if (!stage->gaps)
		return 0;
	find_range(&c);
	sort_all(&c);
	draw(f, &c);
	free(c.cause);
	return c.causes;
}
