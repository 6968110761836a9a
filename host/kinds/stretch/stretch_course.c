/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of each core in the turns of mode=stretch, over time, with throttling marked. */
#include "stretch_parts.h"
#include "stretch_records.h"

#include "host/html/plot.h"
#include "host/lib/markup.h"

#include <math.h>
#include <string.h>

#define LEFT   62
#define WIDTH  1000
#define TOP    26 /* kernels and marks are above */
#define HEIGHT 140

struct course {
	struct stretch_records of;
	const char *phase;
	struct plot_scale time, clock;
};

static const struct record_stretch *next(const struct course *c, const struct record_stretch *r)
{
	for (r = r ? r + 1 : c->of.at; r < c->of.at + c->of.count; r++) {
		if (r->phase && r->kernel && strcmp(r->phase, c->phase) == 0)
			return r;
	}
	return NULL;
}

static void widen(struct plot_scale *s, uint64_t value)
{
	s->low = fmin(s->low, (double)value);
	s->high = fmax(s->high, (double)value);
}

/* False: no clock is known. */
static bool find_scales(struct course *c)
{
	c->time = (struct plot_scale){ .low = 1e30, .from = LEFT, .to = LEFT + WIDTH };
	c->clock = (struct plot_scale){ .low = 1e30, .from = TOP + HEIGHT, .to = TOP };
	for (const struct record_stretch *r = NULL; (r = next(c, r));) {
		for (size_t i = 0; i < r->course.count; i++) {
			widen(&c->time, r->course.at[i][0]);
			widen(&c->clock, r->course.at[i][1]);
		}
		for (size_t i = 0; i < r->throttled.count; i++)
			widen(&c->time, r->throttled.at[i][0]);
	}
	/* What is steady is not drawn as if it were not. */
	c->clock.low = floor(c->clock.low / 5e4 - 0.5) * 5e4;
	c->clock.high = ceil(c->clock.high / 5e4 + 0.5) * 5e4;
	c->time.high = fmax(c->time.high, c->time.low * (1 + 1e-9) + 1e3);
	return c->clock.low < c->clock.high;
}

static void draw_axes(FILE *f, const struct course *c)
{
	double tick[PLOT_TICKS_MAX];
	size_t ticks = plot_ticks(&c->clock, tick);

	for (size_t i = 0; i < ticks; i++)
		fprintf(f,
			"<path class=\"g\" d=\"M%d %.1fh%d\"/><text class=\"e\" x=\"%d\" "
			"y=\"%.1f\">%.6g</text>",
			LEFT, plot_place(&c->clock, tick[i]), WIDTH, LEFT - 6,
			plot_place(&c->clock, tick[i]) + 4, tick[i] / 1e6);
	ticks = plot_ticks(&c->time, tick);
	for (size_t i = 0; i < ticks; i++) {
		double x = plot_place(&c->time, tick[i]);

		fprintf(f,
			"<path class=\"g\" d=\"M%.1f %dv%d\"/><text class=\"m\" x=\"%.1f\" "
			"y=\"%d\">",
			x, TOP, HEIGHT, x, TOP + HEIGHT + 14);
		plot_time(f, tick[i]);
		fputs("</text>", f);
	}
}

/* A line per core and kernel, all in one path; a kernel's name where the first of its begins. */
static void draw_lines(FILE *f, const struct course *c)
{
	const char *named = "";

	for (const struct record_stretch *r = NULL; (r = next(c, r));) {
		if (!r->course.count || strcmp(named, r->kernel) == 0)
			continue;
		named = r->kernel;
		fprintf(f, "<text x=\"%.1f\" y=\"%d\">",
			plot_place(&c->time, (double)r->course.at[0][0]), TOP - 14);
		markup_text(f, named);
		fputs("</text>", f);
	}
	fputs("<path style=\"stroke:var(--bar);stroke-opacity:.6;fill:none\" d=\"", f);
	for (const struct record_stretch *r = NULL; (r = next(c, r));) {
		for (size_t i = 0; i < r->course.count; i++)
			fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M',
				plot_place(&c->time, (double)r->course.at[i][0]),
				plot_place(&c->clock, (double)r->course.at[i][1]));
	}
	fputs("\"/>\n", f);
}

static void draw_throttling(FILE *f, const struct course *c)
{
	fputs("<path style=\"stroke:var(--red);fill:var(--red)\" d=\"", f);
	for (const struct record_stretch *r = NULL; (r = next(c, r));) {
		for (size_t i = 0; i < r->throttled.count; i++)
			fprintf(f, "M%.1f %dl-4 -8h8zv%d",
				plot_place(&c->time, (double)r->throttled.at[i][0]), TOP, HEIGHT);
	}
	fputs("\"/>\n", f);
}

bool stretch_course(FILE *f, const struct result_stage *stage, const char *phase)
{
	struct course c = { .of = stretch_records_of(stage), .phase = phase };

	if (!find_scales(&c))
		return false;
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %d\" role=\"img\" aria-label=\"each core's clock over "
		"time\">",
		TOP + HEIGHT + 20);
	draw_axes(f, &c);
	draw_lines(f, &c);
	draw_throttling(f, &c);
	fputs("</svg>\n", f);
	return true;
}
