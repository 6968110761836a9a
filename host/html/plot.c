/* SPDX-License-Identifier: BSD-2-Clause */
/* Scales, ticks and marks. */
#include "plot.h"

#include "html.h"

#include <math.h>

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

	for (double at = ceil(log10(s->low) - 1e-9); count < PLOT_TICKS_MAX; at++) {
		if (pow(10, at) > s->high * (1 + 1e-9))
			break;
		tick[count++] = pow(10, at);
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
	static const char *const shapes[CAUSES] = {
		[CAUSE_SMI] = "m0-3l3 6h-6z",                          /* triangle */
		[CAUSE_NMI] = "m-3-3h6v6h-6z",                         /* square */
		[CAUSE_MCE] = "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z",    /* star */
		[CAUSE_STEAL] = "m0-4l4 4l-4 4l-4-4z",                 /* diamond */
		[CAUSE_STOPPED] = "m0 3l3-6h-6z",                      /* triangle, upside down */
		[CAUSE_STALL] = "m-4-1h8v2h-8z",                       /* bar */
		[CAUSE_UNKNOWN] = "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", /* disc */
	};

	fprintf(f, "M%d %d%s", x, y, shapes[cause]);
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
