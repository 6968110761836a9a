/* SPDX-License-Identifier: BSD-2-Clause */
/* Buckets are merged to eight per octave: more cannot be distinguished by eye. */
#include "plot.h"

#include "host/lib/memory.h"
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_OCTAVE 8
#define BINS       (64 * PER_OCTAVE)

struct bins {
	double count[BINS];
};

/* Position and size inside the viewBox. */
struct frame {
	struct plot_scale length, count;
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

/* From a half, so that 1 is visible. */
static struct plot_scale count_scale(double most)
{
	return (struct plot_scale){ .low = 0.5, .high = fmax(most * 1.2, 10), .log = true };
}

/* Axes that hold all bins: lengths by whole decades. */
static bool find_axes(const struct bins *all, struct frame *frame)
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
	plot_decades(&frame->length);
	frame->count = count_scale(most);
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
		plot_time(f, tick[i]);
		fputs("</text>", f);
	}
	ticks = plot_ticks(&frame->count, tick);
	step = ticks * 12 / (size_t)frame->height + 1;
	for (size_t i = 0; i < ticks; i += step) {
		double y = plot_place(&frame->count, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%d %.1fh%d\"/><text class=\"e\" x=\"%d\" "
			"y=\"%.1f\">%.6g</text>",
			frame->left, y, frame->width, frame->left - 4, y + 4, tick[i]);
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

static void draw_all(FILE *f, struct frame *frame, const struct bins *all)
{
	place(frame, 62, 8, 1000, 170);
	fputs("<svg viewBox=\"0 0 1080 200\" role=\"img\" aria-label=\"histogram of gap lengths of "
	      "all "
	      "cores\">",
	      f);
	draw_axes(f, frame);
	draw_bars(f, frame, all);
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

static void draw_core(FILE *f, const struct frame *frame, const struct record_cpu *cpu, unsigned id)
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

	if (x->max_ns != y->max_ns)
		return x->max_ns > y->max_ns ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static size_t draw_cores(FILE *f, struct frame *frame, const struct record_cpu *cpu, size_t cpus,
			 unsigned id)
{
	const struct record_cpu **order = memory_new(cpus, sizeof(const struct record_cpu *));
	size_t count = 0;

	for (size_t i = 0; i < cpus; i++) {
		if (cpu[i].histogram.count)
			order[count++] = &cpu[i];
	}
	if (count > PLOT_HISTOGRAMS_MAX) {
		qsort(order, count, sizeof(const struct record_cpu *), by_longest);
		count = PLOT_HISTOGRAMS_MAX;
	}
	frame->count = count_scale(most_of_any(cpu, cpus));
	draw_symbol(f, frame, id);
	fputs("<div class=\"grid\">\n", f);
	for (size_t i = 0; i < count; i++)
		draw_core(f, frame, order[i], id);
	fputs("</div>\n", f);
	free(order);
	return count;
}

size_t plot_histograms(FILE *f, const struct record_cpu *cpu, size_t cpus, unsigned id)
{
	static struct bins all;
	struct frame frame;

	memset(&all, 0, sizeof(all));
	for (size_t i = 0; i < cpus; i++)
		add(&all, &cpu[i].histogram);
	if (!find_axes(&all, &frame))
		return 0;
	draw_all(f, &frame, &all);
	return draw_cores(f, &frame, cpu, cpus, id);
}
