/* SPDX-License-Identifier: BSD-2-Clause */
/* Scales, ticks, marks and histograms. */
#include "html.h"

#include "host/lib/text_sanitize.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

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

void plot_widen(struct plot_scale *s, double value)
{
	s->low = fmin(s->low, value);
	s->high = fmax(s->high, value);
}

void plot_decades(struct plot_scale *s)
{
	double low = floor(log10(s->low) + 1e-9), high = ceil(log10(s->high) - 1e-9);

	s->low = pow(10, low);
	s->high = pow(10, high > low ? high : low + 1);
}

#define TICKS_MAX 32

static size_t log_ticks(const struct plot_scale *s, double tick[TICKS_MAX])
{
	size_t count = 0;

	/* 1, 2 and 5 where there are few decades. */
	static const double few[] = { 1, 2, 5 };
	size_t per = s->high / s->low < 99 ? 3 : 1;

	for (double at = floor(log10(s->low) + 1e-9); count < TICKS_MAX; at++) {
		for (size_t i = 0; i < per && count < TICKS_MAX; i++) {
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

/* Ticks: powers of ten, or some 4 to 10 round values. Returns their number. */
static size_t find_ticks(const struct plot_scale *s, double tick[TICKS_MAX])
{
	double step = round_step((s->high - s->low) / 9);
	size_t count = 0;

	if (s->log)
		return log_ticks(s, tick);
	for (double n = ceil(s->low / step); count < TICKS_MAX; n++) {
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

void plot_axes(FILE *f, const struct plot_axes *a)
{
	double tick[TICKS_MAX];
	size_t ticks = find_ticks(&a->x, tick);
	/* Labels of lengths need about 45 units each. */
	size_t step = ticks * 45 / (size_t)a->width + 1;

	for (size_t i = 0; i < ticks; i += step) {
		double x = plot_place(&a->x, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%.1f %dv%d\"/><text class=\"m\" x=\"%.1f\" "
			"y=\"%d\">",
			x, a->top, a->height, x, a->top + a->height + 12);
		a->x_label(f, tick[i]);
		fputs("</text>", f);
	}
	ticks = find_ticks(&a->y, tick);
	step = ticks * 12 / (size_t)fabs(a->y.to - a->y.from) + 1;
	for (size_t i = 0; i < ticks; i += step) {
		double y = plot_place(&a->y, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%d %.1fh%d\"/><text class=\"e\" x=\"%d\" "
			"y=\"%.1f\">",
			a->left, y, a->width, a->left - 4, y + 4);
		a->y_label(f, tick[i]);
		fputs("</text>", f);
	}
}

/* ---- Histograms: buckets are merged to eight per octave, as the eye distinguishes no more ---- */

#define PER_OCTAVE 8
#define BINS       (64 * PER_OCTAVE)

struct bins {
	double count[BINS];
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

static void plot_add(struct bins *b, const struct record_pairs *h)
{
	for (size_t i = 0; i < h->count; i++)
		b->count[bin_of(h->at[i][0])] += (double)h->at[i][1];
}

/* The scale begins below 1, so that a count of 1 is visible. */
static struct plot_scale count_scale(double most)
{
	return (struct plot_scale){ .low = 0.6, .high = fmax(most * 1.2, 10), .log = true };
}

/* Print a count, such as 1, 200, 1k or 500M. */
static void put_count(FILE *f, double count)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	for (; count >= 1e3 && units[unit + 1]; unit++)
		count /= 1e3;
	fprintf(f, unit ? "%.0f%c" : "%.0f", count, units[unit]);
}

/* Axes that hold all bins: lengths by whole decades. */
static bool find_axes(const struct bins *all, uint64_t limit_ns, struct plot_axes *axes)
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
	axes->x = (struct plot_scale){ .low = bin_low(first),
				       .high = bin_low(last + 1),
				       .log = true };
	if (limit_ns)
		plot_widen(&axes->x, (double)limit_ns);
	plot_decades(&axes->x);
	axes->y = count_scale(most);
	axes->y_label = put_count;
	return true;
}

static void plot_place_axes(struct plot_axes *axes, int left, int top, int width, int height)
{
	axes->left = left;
	axes->top = top;
	axes->width = width;
	axes->height = height;
	axes->x.from = left;
	axes->x.to = left + width;
	axes->y.from = top + height;
	axes->y.to = top;
}

/* A bar per bin: from the axis up, along, and down again. */
static void draw_bars(FILE *f, const struct plot_axes *axes, const struct bins *b)
{
	int bottom = axes->top + axes->height;

	fputs("<path class=\"h\" d=\"", f);
	for (size_t i = 0; i < BINS; i++) {
		double from = plot_place(&axes->x, bin_low(i));
		double to = plot_place(&axes->x, bin_low(i + 1));

		if (b->count[i] > 0)
			fprintf(f, "M%.1f %dV%.1fH%.1fV%dz", from, bottom,
				plot_place(&axes->y, b->count[i]), fmax(to - 0.4, from + 0.8),
				bottom);
	}
	fputs("\"/>", f);
}

static void draw_limit_line(FILE *f, const struct plot_axes *axes, uint64_t limit_ns)
{
	if (limit_ns)
		fprintf(f, "<path class=\"l\" d=\"M%.1f %dv%d\"/>",
			plot_place(&axes->x, (double)limit_ns), axes->top, axes->height);
}

static void draw_limit(FILE *f, const struct plot_axes *axes, uint64_t limit_ns)
{
	double x = plot_place(&axes->x, (double)limit_ns);
	bool left = x > axes->left + axes->width / 2;
	char length[24];

	if (!limit_ns)
		return;
	draw_limit_line(f, axes, limit_ns);
	fprintf(f, "<text class=\"t%s\" x=\"%.1f\" y=\"%d\">limit %s</text>", left ? " e" : "",
		x + (left ? -4 : 4), axes->top + 9, html_duration(limit_ns, length));
}

static void draw_all(FILE *f, struct plot_axes *axes, const struct bins *all, uint64_t limit_ns)
{
	plot_place_axes(axes, 62, 8, 1000, 170);
	fputs("<svg viewBox=\"0 0 1080 200\" role=\"img\" aria-label=\"histogram of gap lengths of "
	      "all cores\">",
	      f);
	plot_axes(f, axes);
	draw_bars(f, axes, all);
	draw_limit(f, axes, limit_ns);
	fputs("</svg>\n", f);
}

/* ---- Small histograms, side by side, whose axes are drawn once ---- */

static void add_group(struct bins *b, const struct plot_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		plot_add(b, group->of[i]);
}

/* The largest bin of any group. */
static double most_of_any(const struct plot_grid *grid)
{
	static struct bins b;
	double most = 0;

	for (size_t i = 0; i < grid->groups; i++) {
		memset(&b, 0, sizeof(b));
		add_group(&b, &grid->group[i]);
		for (size_t n = 0; n < BINS; n++)
			most = fmax(most, b.count[n]);
	}
	return most;
}

static void draw_group(FILE *f, const struct plot_axes *axes, const struct plot_group *group,
		       const struct plot_grid *grid)
{
	static struct bins one;

	memset(&one, 0, sizeof(one));
	add_group(&one, group);
	fprintf(f,
		"<svg viewBox=\"0 0 216 80\" role=\"img\"><use href=\"#%s-%u\"/>"
		"<text class=\"t\" x=\"4\" y=\"11\">",
		grid->name, grid->id);
	text_markup(f, group->title);
	fputs("</text>", f);
	draw_bars(f, axes, &one);
	draw_limit_line(f, axes, grid->limit);
	fputs("</svg>\n", f);
}

void plot_grid(FILE *f, const struct plot_grid *grid)
{
	static struct bins all;
	struct plot_axes axes;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < grid->groups; i++)
		add_group(&all, &grid->group[i]);
	if (!find_axes(&all, grid->limit, &axes))
		return;
	axes.x_label = grid->label;
	axes.y = count_scale(most_of_any(grid));
	plot_place_axes(&axes, 36, 16, 162, 50);
	fprintf(f,
		"<svg class=\"d\" aria-hidden=\"true\"><symbol id=\"%s-%u\" "
		"viewBox=\"0 0 216 80\">",
		grid->name, grid->id);
	plot_axes(f, &axes);
	fputs("</symbol></svg>\n<div class=\"grid\">\n", f);
	for (size_t i = 0; i < grid->groups; i++)
		draw_group(f, &axes, &grid->group[i], grid);
	fputs("</div>\n", f);
}

/* ---- Each core's histogram ---- */

static int by_longest(const void *a, const void *b)
{
	const struct record_cpu *x = *(const struct record_cpu *const *)a;
	const struct record_cpu *y = *(const struct record_cpu *const *)b;

	return ORDER(y->max_ns, x->max_ns) ?: ORDER(x->cpu, y->cpu);
}

#define HISTOGRAMS_OPEN 16 /* more are folded */

/* One core as a group of its own. */
static void fill_core(struct plot_group *group, const struct record_pairs **of,
		      const struct record_cpu *cpu)
{
	char longest[24];

	*of = &cpu->histogram;
	*group = (struct plot_group){ .of = of, .count = 1 };
	snprintf(group->title, sizeof(group->title), "cpu %" PRIu32 ": %" PRIu64 " gaps, max %s",
		 cpu->cpu, cpu->gaps, html_duration(cpu->max_ns, longest));
}

static size_t draw_cores(FILE *f, const struct result_stage *stage, uint64_t limit_ns, unsigned id)
{
	const struct record_cpu **order = memory_new(stage->cpus,
						     sizeof(const struct record_cpu *));
	const struct record_pairs **of = memory_new(stage->cpus,
						    sizeof(const struct record_pairs *));
	struct plot_group *group = memory_new(stage->cpus, sizeof(*group));
	size_t count = 0;

	for (size_t i = 0; i < stage->cpus; i++) {
		if (stage->cpu[i].histogram.count)
			order[count++] = &stage->cpu[i];
	}
	if (count > PLOT_HISTOGRAMS_MAX) {
		qsort(order, count, sizeof(const struct record_cpu *), by_longest);
		count = PLOT_HISTOGRAMS_MAX;
	}
	for (size_t i = 0; i < count; i++)
		fill_core(&group[i], &of[i], order[i]);
	fprintf(f, "<details%s><summary>each core</summary>\n",
		count > HISTOGRAMS_OPEN ? "" : " open=\"open\"");
	plot_grid(f, &(struct plot_grid){ "axes", id, limit_ns, plot_time, group, count });
	fputs("</details>\n", f);
	free(order);
	free(of);
	free(group);
	return count;
}

size_t plot_histograms(FILE *f, const struct result_stage *stage, uint64_t limit_ns, unsigned id)
{
	static struct bins all;
	struct plot_axes axes;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < stage->cpus; i++)
		plot_add(&all, &stage->cpu[i].histogram);
	if (!find_axes(&all, limit_ns, &axes))
		return 0;
	axes.x_label = plot_time;
	draw_all(f, &axes, &all, limit_ns);
	return stage->cpus > 1 ? draw_cores(f, stage, limit_ns, id) : 1;
}
