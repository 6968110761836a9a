/* SPDX-License-Identifier: BSD-2-Clause */
/* Scales, ticks and marks. */
#include "plot.h"

#include "html.h"
#include "host/lib/markup.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double plot_place(const struct plot_scale *s, double value)
{
	double share;

	if (value <= s->low)
		return s->from;
	if (value >= s->high)
		return s->to;
	if (s->log)
		share = log(value / s->low) / log(s->high / s->low);
	else
		share = (value - s->low) / (s->high - s->low);
	return s->from + share * (s->to - s->from);
}

void plot_decades(struct plot_scale *s)
{
	double low = floor(log10(s->low) + 1e-9), high = ceil(log10(s->high) - 1e-9);

	s->low = pow(10, low);
	s->high = pow(10, high > low ? high : low + 1);
}

static size_t log_ticks(const struct plot_scale *s, double tick[PLOT_TICKS_MAX])
{
	size_t count = 0;

	/* 1, 2 and 5 where there are few decades. */
	static const double few[] = { 1, 2, 5 };
	size_t per = s->high / s->low < 99 ? 3 : 1;

	for (double at = floor(log10(s->low) + 1e-9); count < PLOT_TICKS_MAX; at++) {
		for (size_t i = 0; i < per && count < PLOT_TICKS_MAX; i++) {
			double value = few[i] * pow(10, at);

			if (value > s->high * (1 + 1e-9))
				return count;
			if (value > s->low * (1 - 1e-9))
				tick[count++] = value;
		}
	}
	return count;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough))), digit = rough / power;

	return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

size_t plot_ticks(const struct plot_scale *s, double tick[PLOT_TICKS_MAX])
{
	double step = round_step((s->high - s->low) / 9);
	size_t count = 0;

	if (s->log)
		return log_ticks(s, tick);
	for (double n = ceil(s->low / step); count < PLOT_TICKS_MAX; n++) {
		if (n * step > s->high)
			break;
		tick[count++] = n * step;
	}
	return count;
}

void plot_time(FILE *f, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };

	if (ns <= 0) {
		fputc('0', f);
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns * (1 - 1e-9) && i + 1 < sizeof(units) / sizeof(units[0]))
			continue;
		fprintf(f, "%.6g %s", ns / units[i].ns, units[i].name);
		return;
	}
}

void plot_mark(FILE *f, enum cause cause, int x, int y)
{
	fprintf(f, "M%d %d%s", x, y, html_cause_shape(cause));
}

void plot_legend(FILE *f, uint32_t causes)
{
	int x = 62;

	fputs("<svg viewBox=\"0 0 1080 18\" role=\"img\" aria-label=\"legend of causes\">", f);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (!(causes & 1u << c))
			continue;
		fprintf(f, "<path class=\"f %s\" d=\"", html_cause_class((enum cause)c));
		plot_mark(f, (enum cause)c, x, 9);
		fprintf(f, "\"/><text x=\"%d\" y=\"13\">%s</text>", x + 9,
			cause_name((enum cause)c));
		x += 90;
	}
	fputs("</svg>\n", f);
}

/* ---- Histograms: buckets are merged to eight per octave, as more cannot be distinguished by eye
 * ---- */

#define PER_OCTAVE 8
#define BINS       (64 * PER_OCTAVE)

struct bins {
	double count[BINS];
};

/* Position and size inside the viewBox. */
struct frame {
	struct plot_scale length, count;
	void (*label)(FILE *f, double value); /* of a length */
	int left, top, width, height;
};

static size_t bin_of(uint64_t ns)
{
	double bin = ns > 1 ? log2((double)ns) * PER_OCTAVE + 1e-9 : 0;

	return bin < BINS ? (size_t)bin : BINS - 1;
}

static double bin_low(size_t bin)
{
	return exp2((double)bin / PER_OCTAVE);
}

static void add(struct bins *b, const struct record_pairs *h)
{
	for (size_t i = 0; i < h->count; i++)
		b->count[bin_of(h->at[i][0])] += (double)h->at[i][1];
}

/* From below 1, so that 1 is visible. */
static struct plot_scale count_scale(double most)
{
	return (struct plot_scale){ .low = 0.6, .high = fmax(most * 1.2, 10), .log = true };
}

/* Axes that hold all bins: lengths by whole decades. */
static bool find_axes(const struct bins *all, uint64_t limit_ns, struct frame *frame)
{
	size_t first = BINS, last = 0;
	double most = 0;

	for (size_t i = 0; i < BINS; i++) {
		if (!(all->count[i] > 0))
			continue;
		first = i < first ? i : first;
		last = i;
		most = fmax(most, all->count[i]);
	}
	if (first == BINS)
		return false;
	frame->length = (struct plot_scale){ .low = bin_low(first),
					     .high = bin_low(last + 1),
					     .log = true };
	if (limit_ns) {
		frame->length.low = fmin(frame->length.low, (double)limit_ns);
		frame->length.high = fmax(frame->length.high, (double)limit_ns);
	}
	plot_decades(&frame->length);
	frame->count = count_scale(most);
	frame->label = plot_time;
	return true;
}

static void place(struct frame *frame, int left, int top, int width, int height)
{
	frame->left = left;
	frame->top = top;
	frame->width = width;
	frame->height = height;
	frame->length.from = left;
	frame->length.to = left + width;
	frame->count.from = top + height;
	frame->count.to = top;
}

/* 1, 200, 1k, 500M. */
static void put_count(FILE *f, double count)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	for (; count >= 1e3 && units[unit + 1]; unit++)
		count /= 1e3;
	fprintf(f, unit ? "%.0f%c" : "%.0f", count, units[unit]);
}

static void draw_axes(FILE *f, const struct frame *frame)
{
	double tick[PLOT_TICKS_MAX];
	size_t ticks = plot_ticks(&frame->length, tick);
	/* Labels of lengths need about 45 units each. */
	size_t step = ticks * 45 / (size_t)frame->width + 1;

	for (size_t i = 0; i < ticks; i += step) {
		double x = plot_place(&frame->length, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%.1f %dv%d\"/><text class=\"m\" x=\"%.1f\" "
			"y=\"%d\">",
			x, frame->top, frame->height, x, frame->top + frame->height + 12);
		frame->label(f, tick[i]);
		fputs("</text>", f);
	}
	ticks = plot_ticks(&frame->count, tick);
	step = ticks * 12 / (size_t)frame->height + 1;
	for (size_t i = 0; i < ticks; i += step) {
		double y = plot_place(&frame->count, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%d %.1fh%d\"/><text class=\"e\" x=\"%d\" "
			"y=\"%.1f\">",
			frame->left, y, frame->width, frame->left - 4, y + 4);
		put_count(f, tick[i]);
		fputs("</text>", f);
	}
}

/* A bar per bin: from the axis up, along, and down again. */
static void draw_bars(FILE *f, const struct frame *frame, const struct bins *b)
{
	int bottom = frame->top + frame->height;

	fputs("<path class=\"h\" d=\"", f);
	for (size_t i = 0; i < BINS; i++) {
		double from = plot_place(&frame->length, bin_low(i));
		double to = plot_place(&frame->length, bin_low(i + 1));

		if (b->count[i] > 0)
			fprintf(f, "M%.1f %dV%.1fH%.1fV%dz", from, bottom,
				plot_place(&frame->count, b->count[i]), fmax(to - 0.4, from + 0.8),
				bottom);
	}
	fputs("\"/>", f);
}

static void draw_limit_line(FILE *f, const struct frame *frame, uint64_t limit_ns)
{
	if (limit_ns)
		fprintf(f, "<path class=\"l\" d=\"M%.1f %dv%d\"/>",
			plot_place(&frame->length, (double)limit_ns), frame->top, frame->height);
}

static void draw_limit(FILE *f, const struct frame *frame, uint64_t limit_ns)
{
	double x = plot_place(&frame->length, (double)limit_ns);
	bool left = x > frame->left + frame->width / 2;
	char length[24];

	if (!limit_ns)
		return;
	draw_limit_line(f, frame, limit_ns);
	fprintf(f, "<text class=\"t%s\" x=\"%.1f\" y=\"%d\">limit %s</text>", left ? " e" : "",
		x + (left ? -4 : 4), frame->top + 9, html_duration(limit_ns, length));
}

static void draw_all(FILE *f, struct frame *frame, const struct bins *all, uint64_t limit_ns)
{
	place(frame, 62, 8, 1000, 170);
	fputs("<svg viewBox=\"0 0 1080 200\" role=\"img\" aria-label=\"histogram of gap lengths of "
	      "all cores\">",
	      f);
	draw_axes(f, frame);
	draw_bars(f, frame, all);
	draw_limit(f, frame, limit_ns);
	fputs("</svg>\n", f);
}

/* The axes of all small ones, drawn once. */
static void draw_symbol(FILE *f, struct frame *frame, unsigned id)
{
	place(frame, 36, 16, 162, 50);
	fprintf(f,
		"<svg class=\"d\" aria-hidden=\"true\"><symbol id=\"axes-%u\" "
		"viewBox=\"0 0 216 80\">",
		id);
	draw_axes(f, frame);
	fputs("</symbol></svg>\n", f);
}

static void draw_core(FILE *f, const struct frame *frame, const struct record_cpu *cpu,
		      uint64_t limit_ns, unsigned id)
{
	static struct bins b;
	char longest[24];

	memset(&b, 0, sizeof(b));
	add(&b, &cpu->histogram);
	html_duration(cpu->max_ns, longest);
	fprintf(f,
		"<svg viewBox=\"0 0 216 80\" role=\"img\" aria-label=\"cpu %" PRIu32
		"\"><use href=\"#axes-%u\"/><text class=\"t\" x=\"4\" y=\"11\">cpu %" PRIu32
		": %" PRIu64 " gaps, max %s</text>",
		cpu->cpu, id, cpu->cpu, cpu->gaps, longest);
	draw_bars(f, frame, &b);
	draw_limit_line(f, frame, limit_ns);
	fputs("</svg>\n", f);
}

/* The largest bin of any core: it is the common scale of the small ones. */
static double most_of_any(const struct record_cpu *cpu, size_t cpus)
{
	static struct bins b;
	double most = 0;

	for (size_t i = 0; i < cpus; i++) {
		memset(&b, 0, sizeof(b));
		add(&b, &cpu[i].histogram);
		for (size_t n = 0; n < BINS; n++)
			most = fmax(most, b.count[n]);
	}
	return most;
}

static int by_longest(const void *a, const void *b)
{
	const struct record_cpu *x = *(const struct record_cpu *const *)a;
	const struct record_cpu *y = *(const struct record_cpu *const *)b;

	return ORDER(y->max_ns, x->max_ns) ?: ORDER(x->cpu, y->cpu);
}

#define HISTOGRAMS_OPEN 16 /* more are folded */

static size_t draw_cores(FILE *f, struct frame *frame, const struct plot_timeline *t, unsigned id)
{
	const struct record_cpu **order = memory_new(t->cpus, sizeof(const struct record_cpu *));
	size_t count = 0;

	for (size_t i = 0; i < t->cpus; i++) {
		if (t->cpu[i].histogram.count)
			order[count++] = &t->cpu[i];
	}
	if (count > PLOT_HISTOGRAMS_MAX) {
		qsort(order, count, sizeof(const struct record_cpu *), by_longest);
		count = PLOT_HISTOGRAMS_MAX;
	}
	frame->count = count_scale(most_of_any(t->cpu, t->cpus));
	draw_symbol(f, frame, id);
	fprintf(f, "<details%s><summary>each core</summary>\n<div class=\"grid\">\n",
		count > HISTOGRAMS_OPEN ? "" : " open=\"open\"");
	for (size_t i = 0; i < count; i++)
		draw_core(f, frame, order[i], t->limit_ns, id);
	fputs("</div></details>\n", f);
	free(order);
	return count;
}

size_t plot_histograms(FILE *f, const struct plot_timeline *t, unsigned id)
{
	static struct bins all;
	struct frame frame;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < t->cpus; i++)
		add(&all, &t->cpu[i].histogram);
	if (!find_axes(&all, t->limit_ns, &frame))
		return 0;
	draw_all(f, &frame, &all, t->limit_ns);
	return t->cpus > 1 ? draw_cores(f, &frame, t, id) : 1;
}

/* ---- The same in ppm above a best ---- */

static void put_percent(FILE *f, double ppm)
{
	fprintf(f, "%.6g %%", ppm / 1e4);
}

static void add_group(struct bins *b, const struct plot_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		add(b, group->of[i]);
}

static void draw_group(FILE *f, const struct frame *frame, const struct plot_group *group,
		       const struct plot_grid *grid)
{
	static struct bins one;

	memset(&one, 0, sizeof(one));
	add_group(&one, group);
	fprintf(f,
		"<svg viewBox=\"0 0 250 88\" role=\"img\"><use href=\"#%s-%u\"/>"
		"<text class=\"t\" x=\"4\" y=\"11\">",
		grid->name, grid->id);
	markup_text(f, group->title);
	fputs("</text>", f);
	draw_bars(f, frame, &one);
	draw_limit_line(f, frame, grid->limit_ppm);
	fputs("</svg>\n", f);
}

void plot_grid(FILE *f, const struct plot_grid *grid)
{
	static struct bins all;
	struct frame frame;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < grid->groups; i++)
		add_group(&all, &grid->group[i]);
	if (!find_axes(&all, grid->limit_ppm, &frame))
		return;
	frame.label = put_percent;
	place(&frame, 36, 16, 186, 58);
	fprintf(f,
		"<svg class=\"d\" aria-hidden=\"true\"><symbol id=\"%s-%u\" "
		"viewBox=\"0 0 250 88\">",
		grid->name, grid->id);
	draw_axes(f, &frame);
	fputs("</symbol></svg>\n<div class=\"grid\" "
	      "style=\"grid-template-columns:repeat(auto-fill,minmax(220px,1fr))\">\n",
	      f);
	for (size_t i = 0; i < grid->groups; i++)
		draw_group(f, &frame, &grid->group[i], grid);
	fputs("</div>\n", f);
}

/* ---- Stages as rungs: what is left of gaps, SMIs and noise after each step ---- */

#define RUNG_LEFT   80
#define RUNG_COLUMN 250 /* of one quantity, its bars and figures */
#define RUNG_BAR    150 /* the longest */
#define RUNG_HEIGHT 20  /* of a rung, with the room under it */
#define RUNG_TOP    20

/* Per second and core, ppm, us; below 0: not known. */
static double per_second(const struct ladder_rung *r, struct maybe count)
{
	return count.known && r->sum.exposure_ns
		       ? (double)count.value * NS_PER_S / (double)r->sum.exposure_ns
		       : -1;
}

static double gaps(const struct ladder_rung *r)
{
	return per_second(r, (struct maybe){ r->sum.gaps, true });
}

static double smis(const struct ladder_rung *r)
{
	return per_second(r, r->sum.smi);
}

static double noise(const struct ladder_rung *r)
{
	return r->sum.exposure_ns ? (double)r->sum.noise_ns * 1e6 / (double)r->sum.exposure_ns : -1;
}

static double longest(const struct ladder_rung *r)
{
	return (double)r->sum.max_ns / 1000;
}

static const struct {
	const char *name;
	double (*of)(const struct ladder_rung *r);
} columns[] = {
	{ "gaps/s", gaps },
	{ "SMI/s", smis },
	{ "noise (ppm)", noise },
	{ "max (us)", longest },
};

static void draw_rung_bar(FILE *f, double value, double most, size_t column, size_t n)
{
	size_t x = RUNG_LEFT + column * RUNG_COLUMN, y = RUNG_TOP + n * RUNG_HEIGHT;
	double width = value > 0 && most > 0 ? fmax(value / most * RUNG_BAR, 1) : 0;

	fprintf(f,
		"<rect class=\"h\" x=\"%zu\" y=\"%zu\" width=\"%.1f\" height=\"%d\"/>"
		"<text x=\"%.1f\" y=\"%zu\">",
		x, y, width, RUNG_HEIGHT - 6, (double)x + width + 4, y + 11);
	fprintf(f, value < 0 ? "n/a" : value < 1000 ? "%.4g" : "%.0f", value);
	fputs("</text>\n", f);
}

void plot_ladder(FILE *f, const struct ladder *l)
{
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %zu\" role=\"img\" aria-label=\"what is left after each "
		"stage\">",
		RUNG_TOP + l->count * RUNG_HEIGHT);
	for (size_t n = 0; n < l->count; n++) {
		fprintf(f, "<text class=\"e\" x=\"%d\" y=\"%zu\">", RUNG_LEFT - 6,
			RUNG_TOP + n * RUNG_HEIGHT + 11);
		markup_text(f, l->rung[n].stage);
		fputs("</text>", f);
	}
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		double most = 0;

		if (l->no_smi && columns[c].of == smis)
			continue;

		fprintf(f, "<text class=\"t\" x=\"%zu\" y=\"13\">%s</text>",
			RUNG_LEFT + c * RUNG_COLUMN, columns[c].name);
		for (size_t n = 0; n < l->count; n++)
			most = fmax(most, columns[c].of(&l->rung[n]));
		for (size_t n = 0; n < l->count; n++)
			draw_rung_bar(f, columns[c].of(&l->rung[n]), most, c, n);
	}
	fputs("</svg>\n", f);
}
