/* SPDX-License-Identifier: BSD-2-Clause */
/* Stages as rungs: what is left of gaps, SMIs and noise after each step. */
#include "plot.h"

#include "host/lib/markup.h"

#include "core/lib/ticks.h"

#include <math.h>

#define LEFT   80
#define COLUMN 250 /* of one quantity, its bars and figures */
#define BAR    150 /* the longest */
#define HEIGHT 20  /* of a rung, with the room under it */
#define TOP    20

/* Per second and core, ppm, us; below 0: not known. */
static double per_second(const struct ladder_rung *r, struct maybe count)
{
	return count.known && r->exposure_ns
		       ? (double)count.value * NS_PER_S / (double)r->exposure_ns
		       : -1;
}

static double gaps(const struct ladder_rung *r)
{
	return per_second(r, (struct maybe){ r->gaps, true });
}

static double smis(const struct ladder_rung *r)
{
	return per_second(r, r->smi);
}

static double noise(const struct ladder_rung *r)
{
	return r->exposure_ns ? (double)r->noise_ns * 1e6 / (double)r->exposure_ns : -1;
}

static double longest(const struct ladder_rung *r)
{
	return (double)r->max_ns / 1000;
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

static void draw_bar(FILE *f, double value, double most, size_t column, size_t n)
{
	size_t x = LEFT + column * COLUMN, y = TOP + n * HEIGHT;
	double width = value > 0 && most > 0 ? fmax(value / most * BAR, 1) : 0;

	fprintf(f,
		"<rect class=\"h\" x=\"%zu\" y=\"%zu\" width=\"%.1f\" height=\"%d\"/>"
		"<text x=\"%.1f\" y=\"%zu\">",
		x, y, width, HEIGHT - 6, (double)x + width + 4, y + 11);
	fprintf(f, value < 0 ? "n/a" : value < 1000 ? "%.4g" : "%.0f", value);
	fputs("</text>\n", f);
}

void plot_ladder(FILE *f, const struct ladder *l)
{
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %zu\" role=\"img\" aria-label=\"what is left after each "
		"stage\">",
		TOP + l->count * HEIGHT);
	for (size_t n = 0; n < l->count; n++) {
		fprintf(f, "<text class=\"e\" x=\"%d\" y=\"%zu\">", LEFT - 6,
			TOP + n * HEIGHT + 11);
		markup_text(f, l->rung[n].stage);
		fputs("</text>", f);
	}
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		double most = 0;

		if (l->no_smi && columns[c].of == smis)
			continue;

		fprintf(f, "<text class=\"t\" x=\"%zu\" y=\"13\">%s</text>", LEFT + c * COLUMN,
			columns[c].name);
		for (size_t n = 0; n < l->count; n++)
			most = fmax(most, columns[c].of(&l->rung[n]));
		for (size_t n = 0; n < l->count; n++)
			draw_bar(f, columns[c].of(&l->rung[n]), most, c, n);
	}
	fputs("</svg>\n", f);
}
