/* SPDX-License-Identifier: BSD-2-Clause */
/* One comparison after another, each with its reservations. */
#include "html.h"

#include "host/lib/text_sanitize.h"
#include "host/compare/split.h"
#include "host/lib/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Bars ---- */

/*
 * Stacked bars; without colours, the order of the parts, their patterns and the white between them
 * distinguish them. A dashed line as wide as the bar is the hatching.
 */

/* Parts of the noise seen from inside: what the probe measured without an OS, causes, the rest. */
enum part { FLOOR, FIRST_CAUSE, UNEXPLAINED = FIRST_CAUSE + TOOL_CAUSES, PARTS };

struct bar {
	char name[32];        /* "cpu 3", "all" */
	uint64_t exposure_ns; /* measured from inside */
	struct range noise_ns;
	struct {
		uint64_t sure, more; /* at least, and what may be added to it */
	} part_ns[PARTS];
};

#define LEFT   80
#define WIDTH  860 /* leaves room for "399778-399932 ppm" */
#define HEIGHT 16  /* of a bar, with the room under it */
#define TOP    22

/* Parts by shape as well as colour: dots, and lines that rise, stand and lie. Once on a page. */
#define PATTERN(name, path)                                                                        \
	"<pattern id=\"x-" name "\" class=\"p-" name "\" width=\"6\" height=\"6\" "                \
	"patternUnits=\"userSpaceOnUse\"><rect style=\"fill:var(--k)\" width=\"6\" height=\"6\"/>" \
	"<path class=\"x\" d=\"" path "\"/></pattern>"

static const char patterns[] = "<svg class=\"d\" aria-hidden=\"true\">" PATTERN("nmi", "M2 3h2")
	PATTERN("irq", "M0 6l6-6") PATTERN("softirq", "M3 0v6")
		PATTERN("thread", "M0 3h6") "</svg>\n";

static const char *part_name(unsigned part)
{
	if (part == FLOOR || part == UNEXPLAINED)
		return part == FLOOR ? "floor" : "unexplained";
	return tool_cause_name((enum tool_cause)(part - FIRST_CAUSE));
}

static double ppm(const struct bar *bar, uint64_t ns)
{
	return bar->exposure_ns ? (double)ns / (double)bar->exposure_ns * 1e6 : 0;
}

static double total(const struct bar *bar)
{
	double sum = 0;

	for (unsigned part = 0; part < PARTS; part++)
		sum += ppm(bar, bar->part_ns[part].sure) + ppm(bar, bar->part_ns[part].more);
	return sum;
}

static double width_of(const struct bar *bar, uint64_t ns, const struct plot_scale *scale)
{
	return plot_place(scale, ppm(bar, ns)) - scale->from;
}

#define HATCHED "stroke-width=\"%d\" stroke-dasharray=\"2 2\""

static void draw_legend(FILE *f)
{
	unsigned x = LEFT;

	for (unsigned part = 0; part < PARTS; part++, x += 110)
		fprintf(f,
			"<rect class=\"f p-%s\" x=\"%u\" y=\"4\" width=\"10\" height=\"10\"/>"
			"<text x=\"%u\" y=\"13\">%s</text>",
			part_name(part), x, x + 14, part_name(part));
	fprintf(f,
		"<path class=\"k p-unexplained\" " HATCHED " d=\"M%u 9h10\"/>"
		"<text x=\"%u\" y=\"13\">between bounds</text>",
		10, x, x + 14);
}

static unsigned top_of(size_t n)
{
	return (unsigned)(TOP + n * HEIGHT);
}

/* Where the part begins. */
static double start_of(const struct bar *bar, unsigned part, const struct plot_scale *scale)
{
	double x = scale->from;

	while (part-- > 0)
		x += width_of(bar, bar->part_ns[part].sure, scale) +
		     width_of(bar, bar->part_ns[part].more, scale);
	return x;
}

/*
 * One path per part, for all bars: pages of many cores stay small. What a part has in any case is
 * a box, what it may have is a hatched line behind that.
 */
static void draw_part(FILE *f, const struct bar *bar, size_t count, unsigned part,
		      const struct plot_scale *scale, bool sure)
{
	enum { BAR = HEIGHT - 4 };

	if (sure)
		fprintf(f, "<path class=\"f p-%s\" d=\"", part_name(part));
	else
		fprintf(f, "<path class=\"k p-%s\" " HATCHED " d=\"", part_name(part), BAR);
	for (size_t i = 0; i < count; i++) {
		double width = width_of(&bar[i], bar[i].part_ns[part].sure, scale);
		double more = width_of(&bar[i], bar[i].part_ns[part].more, scale);
		double x = start_of(&bar[i], part, scale);

		if (sure && width > 0)
			fprintf(f, "M%.1f %uh%.1fv%dH%.1fz", x, top_of(i), fmax(width - 0.6, 0.4),
				BAR, x);
		else if (!sure && more > 0)
			fprintf(f, "M%.1f %uh%.1f", x + width, top_of(i) + BAR / 2,
				fmax(more, 0.4));
	}
	fputs("\"/>\n", f);
}

static void put_ppm(FILE *f, double value)
{
	fprintf(f, value < 1000 ? "%.4g" : "%.0f", value);
}

static void draw_words(FILE *f, const struct bar *bar, const struct plot_scale *scale, unsigned y)
{
	const struct range noise = bar->noise_ns;

	fprintf(f, "<text class=\"e\" x=\"%d\" y=\"%u\">", LEFT - 6, y + 10);
	text_markup(f, bar->name);
	fprintf(f, "</text><text x=\"%.0f\" y=\"%u\">", plot_place(scale, total(bar)) + 4, y + 10);
	if (!range_is_bounded(noise)) {
		fputs("n/a</text>\n", f);
		return;
	}
	put_ppm(f, ppm(bar, noise.low));
	if (noise.high != noise.low)
		fputc('-', f);
	if (noise.high != RANGE_OPEN && noise.high != noise.low)
		put_ppm(f, ppm(bar, noise.high));
	fputs(" ppm</text>\n", f);
}

/* In ppm of each core's exposure, with a legend; what is between two bounds is hatched. */
static void draw_bars(FILE *f, const struct bar *bar, size_t count)
{
	struct plot_scale scale = { .high = 1e-3, .from = LEFT, .to = LEFT + WIDTH };

	static bool has_patterns;

	for (size_t i = 0; i < count; i++)
		scale.high = fmax(scale.high, total(&bar[i]));
	fputs(has_patterns ? "" : patterns, f);
	has_patterns = true;
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %zu\" role=\"img\" aria-label=\"noise seen from inside, "
		"by cause\">",
		TOP + count * HEIGHT + 4);
	draw_legend(f);
	for (unsigned part = 0; part < PARTS; part++) {
		draw_part(f, bar, count, part, &scale, true);
		draw_part(f, bar, count, part, &scale, false);
	}
	for (size_t i = 0; i < count; i++)
		draw_words(f, &bar[i], &scale, top_of(i));
	fputs("</svg>\n", f);
}

/* ---- Comparisons ---- */

static uint64_t take(uint64_t *room, uint64_t ns)
{
	ns = arith_min(*room, ns);
	*room -= ns;
	return ns;
}

/* What each part has in any case; then what may be the floor's, and what may be anything. */
static struct bar bar_of(const struct split_result *s, const struct split_row *r)
{
	const struct range noise = r->figure[SPLIT_NOISE], floor = r->figure[SPLIT_BELOW];
	uint64_t room = noise.high == RANGE_OPEN ? noise.low : noise.high;
	struct bar bar = { .exposure_ns = split_exposure(r), .noise_ns = noise };

	split_words_name(bar.name, s, r);
	bar.part_ns[FLOOR].sure = take(&room, floor.low);
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		bar.part_ns[FIRST_CAUSE + c].sure = take(&room, r->figure[SPLIT_CAUSE + c].low);
	bar.part_ns[UNEXPLAINED].sure = take(&room, r->figure[SPLIT_UNEXPLAINED].low);
	bar.part_ns[FLOOR].more = take(&room, floor.high - floor.low);
	bar.part_ns[UNEXPLAINED].more = room;
	return bar;
}

static void put_bars(FILE *f, const struct split_result *s)
{
	struct bar *bar = memory_new(s->rows + 1, sizeof(*bar));
	size_t bars = 0;

	if (s->has_all && s->rows > 1)
		bar[bars++] = bar_of(s, &s->all);
	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].split)
			bar[bars++] = bar_of(s, &s->row[i]);
	}
	if (bars) {
		fputs("<figure tabindex=\"0\">\n", f);
		draw_bars(f, bar, bars);
		fputs("<figcaption>Noise seen from inside, as a share of the time watched, by "
		      "cause.</figcaption>\n</figure>\n",
		      f);
	}
	free(bar);
}

static void print_table(const void *findings)
{
	findings_text(findings);
}

#define FLAGS_OPEN 3 /* notes that are not folded */

struct flags_out {
	FILE *f;
	unsigned count;
};

static void put_flag(void *ctx, bool refused, const struct tool_words *flag)
{
	struct flags_out *out = ctx;

	if (out->count++ == FLAGS_OPEN)
		fputs("</ul>\n<details><summary>more notes</summary>\n<ul class=\"flags\">\n",
		      out->f);
	fprintf(out->f, "<li><b>%s%s</b>: ", refused ? "refused: " : "", flag->name);
	text_markup(out->f, flag->text);
	fputs("</li>\n", out->f);
}

static void put_flags(FILE *f, const struct split_result *s)
{
	struct flags_out out = { f, 0 };

	if (!s->flags && !s->tool->notes)
		return;
	fputs("<ul class=\"flags\">\n", f);
	split_words_flags(s, put_flag, &out);
	fputs(out.count > FLAGS_OPEN ? "</ul>\n</details>\n" : "</ul>\n", f);
}

/* A sentence each; the numbers of both are in the tables of their runs. */
static void put_services(FILE *f, const struct split_result *s)
{
	struct findings services = split_words_services(s);

	for (size_t i = 0; i < services.count; i++)
		html_paragraph(f, services.at[i].why);
	findings_free(&services);
}

static void put_comparison(FILE *f, const struct split_result *s)
{
	struct findings cores = split_words_findings(s);
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_tool(&t, s);
	html_element(f, "h4", t.buf);
	if (!s->refused) {
		if (s->has_all)
			html_paragraph(f, cores.at[cores.count - 1].why);
		put_bars(f, s);
		/* The bars show all cores. */
		if (s->rows || !s->tool->services)
			html_printed(f, "", "", print_table, &cores);
		put_services(f, s);
		html_printed(f, "", "", split_words_ladder, s);
	}
	findings_free(&cores);
	put_flags(f, s);
}

void html_split(FILE *f, const struct split_result *split, size_t count)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	if (!count)
		return;
	text_add(&t, "The floor is that of stage %s.", split->floor->stage_name);
	fputs("<h3>Floor versus OS</h3>\n", f);
	html_paragraph(f, t.buf);
	for (size_t i = 0; i < count; i++)
		put_comparison(f, &split[i]);
}
