/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacked bars; without colours, the order of the parts and the white between them distinguish
 * them.
 */
#include "plot.h"

#include "host/lib/markup.h"

#include <math.h>

#define LEFT   80
#define WIDTH  900
#define HEIGHT 16 /* of a bar, with the room under it */
#define TOP    22

static const char *const names[SPLIT_PARTS] = {
	[SPLIT_FLOOR] = "floor",     [SPLIT_NMI] = "nmi",       [SPLIT_IRQ] = "irq",
	[SPLIT_SOFTIRQ] = "softirq", [SPLIT_THREAD] = "thread", [SPLIT_UNEXPLAINED] = "unexplained",
};

static double ppm(const struct plot_split_bar *bar, unsigned part)
{
	return bar->exposure_ns ? (double)bar->part_ns[part] / (double)bar->exposure_ns * 1e6 : 0;
}

static double total(const struct plot_split_bar *bar)
{
	double sum = 0;

	for (unsigned part = 0; part < SPLIT_PARTS; part++)
		sum += ppm(bar, part);
	return sum;
}

static double width_of(const struct plot_split_bar *bar, unsigned part,
		       const struct plot_scale *scale)
{
	return plot_place(scale, ppm(bar, part)) - scale->from;
}

static void draw_legend(FILE *f)
{
	for (unsigned part = 0; part < SPLIT_PARTS; part++)
		fprintf(f,
			"<rect class=\"f p-%s\" x=\"%u\" y=\"4\" width=\"10\" height=\"10\"/>"
			"<text x=\"%u\" y=\"13\">%s</text>",
			names[part], LEFT + part * 110, LEFT + part * 110 + 14, names[part]);
}

static unsigned top_of(size_t n)
{
	return (unsigned)(TOP + n * HEIGHT);
}

/* One path per part, for all bars: pages of many cores stay small. */
static void draw_part(FILE *f, const struct plot_split_bar *bar, size_t count, unsigned part,
		      const struct plot_scale *scale)
{
	fprintf(f, "<path class=\"f p-%s\" d=\"", names[part]);
	for (size_t i = 0; i < count; i++) {
		double width = width_of(&bar[i], part, scale), x = scale->from;

		if (width <= 0)
			continue;
		for (unsigned before = 0; before < part; before++)
			x += width_of(&bar[i], before, scale);
		fprintf(f, "M%.1f %uh%.1fv%dH%.1fz", x, top_of(i), fmax(width - 0.6, 0.4),
			HEIGHT - 4, x);
	}
	fputs("\"/>\n", f);
}

static void draw_words(FILE *f, const struct plot_split_bar *bar, const struct plot_scale *scale,
		       unsigned y)
{
	double noise = total(bar);
	double end = plot_place(scale, noise);

	fprintf(f, "<text class=\"e\" x=\"%d\" y=\"%u\">", LEFT - 6, y + 10);
	markup_text(f, bar->name);
	fprintf(f, "</text><text x=\"%.0f\" y=\"%u\">", end + 4, y + 10);
	fprintf(f, noise < 1000 ? "%.4g ppm</text>\n" : "%.0f ppm</text>\n", noise);
}

void plot_split(FILE *f, const struct plot_split_bar *bar, size_t count)
{
	struct plot_scale scale = { .high = 1e-3, .from = LEFT, .to = LEFT + WIDTH };

	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		scale.high = fmax(scale.high, total(&bar[i]));
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %zu\" role=\"img\" aria-label=\"noise seen from inside, "
		"by cause\">",
		TOP + count * HEIGHT + 4);
	draw_legend(f);
	for (unsigned part = 0; part < SPLIT_PARTS; part++)
		draw_part(f, bar, count, part, &scale);
	for (size_t i = 0; i < count; i++)
		draw_words(f, &bar[i], &scale, top_of(i));
	fputs("</svg>\n", f);
}
