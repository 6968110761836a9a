/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawings of stretch on a page: histograms of each kernel and phase, and the clock. */
#include "stretch_records.h"

#include "host/html/html.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/memory.h"

#include "core/cause/attribution.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The clock of each core in the turns, over time, with throttling marked ---- */

#define LEFT   62
#define WIDTH  1000
#define TOP    26 /* kernels and marks are above */
#define HEIGHT 140

struct course {
	struct stretch_records of;
	const char *phase;
	struct plot_scale time, clock;
};

static const struct record_stretch *next_of(const struct course *c, const struct record_stretch *r)
{
	for (r = r ? r + 1 : c->of.at; r < c->of.at + c->of.count; r++) {
		if (r->kernel && text_same(r->phase, c->phase))
			return r;
	}
	return NULL;
}

/* False: no clock is known. */
static bool find_scales(struct course *c)
{
	c->time = (struct plot_scale){ .low = 1e30, .from = LEFT, .to = LEFT + WIDTH };
	c->clock = (struct plot_scale){ .low = 1e30, .from = TOP + HEIGHT, .to = TOP };
	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
		for (size_t i = 0; i < r->course.count; i++) {
			plot_widen(&c->time, (double)r->course.at[i][0]);
			plot_widen(&c->clock, (double)r->course.at[i][1]);
		}
		for (size_t i = 0; i < r->throttled.count; i++)
			plot_widen(&c->time, (double)r->throttled.at[i][0]);
	}
	/* Widen the range, so that small changes of a steady clock are not drawn large. */
	c->clock.low = floor(c->clock.low / 5e4 - 0.5) * 5e4;
	c->clock.high = ceil(c->clock.high / 5e4 + 0.5) * 5e4;
	c->time.high = fmax(c->time.high, c->time.low * (1 + 1e-9) + 1e3);
	return c->clock.low < c->clock.high;
}

static void put_clock_label(FILE *f, double ppm)
{
	fprintf(f, "%.6g", ppm / 1e6);
}

/* A line per core and kernel, all in one path; a kernel's name where the first of its begins. */
static void draw_lines(FILE *f, const struct course *c)
{
	const char *named = "";

	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
		if (!r->course.count || strcmp(named, r->kernel) == 0)
			continue;
		named = r->kernel;
		fprintf(f, "<text x=\"%.1f\" y=\"%d\">",
			plot_place(&c->time, (double)r->course.at[0][0]), TOP - 14);
		text_markup(f, named);
		fputs("</text>", f);
	}
	fputs("<path style=\"stroke:var(--bar);stroke-opacity:.6;fill:none\" d=\"", f);
	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
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
	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
		for (size_t i = 0; i < r->throttled.count; i++)
			fprintf(f, "M%.1f %dl-4 -8h8zv%d",
				plot_place(&c->time, (double)r->throttled.at[i][0]), TOP, HEIGHT);
	}
	fputs("\"/>\n", f);
}

/*
 * Each core's clock over time in this phase, and when throttling was logged. False, and nothing is
 * drawn: no clock is known.
 */
static bool put_clock(FILE *f, struct course *c)
{
	if (!find_scales(c))
		return false;
	fprintf(f,
		"<svg viewBox=\"0 0 1080 %d\" role=\"img\" aria-label=\"each core's clock over "
		"time\">",
		TOP + HEIGHT + 20);
	plot_axes(f, &(struct plot_axes){ c->time, c->clock, plot_time, put_clock_label, LEFT, TOP,
					  WIDTH, HEIGHT });
	draw_lines(f, c);
	draw_throttling(f, c);
	fputs("</svg>\n", f);
	return true;
}

/* ---- The clock ---- */

#define ONE           UINT64_C(1000000)
#define THROTTLED_MAX 8 /* listed individually */

static bool has_evidence(const struct record_begin *begin, const char *name)
{
	size_t n = 0;

	while (n < RECORD_STRINGS && !text_same(begin->evidence[n], name))
		n++;
	return n < RECORD_STRINGS;
}

/* True if cores have no nominal clock, but cycles per ns. */
static bool has_levels(const struct record_begin *begin)
{
	return text_same(begin->arch, "aarch64");
}

static void put_lowest(FILE *f, const struct course *c)
{
	const struct record_stretch *of = NULL;
	uint64_t lowest = UINT64_MAX;

	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
		for (size_t n = 0; n < r->course.count; n++) {
			if (r->course.at[n][1] >= lowest)
				continue;
			lowest = r->course.at[n][1];
			of = r;
		}
	}
	if (!of)
		return;
	fprintf(f, "Lowest: %.4f, cpu %" PRIu32 ", ", (double)lowest / ONE, of->cpu);
	text_markup(f, of->kernel);
	fputs(". ", f);
}

/* Returns how many times any core throttled. */
static size_t put_throttled(FILE *f, const struct course *c)
{
	TEXT_DEFINE(names, 120);
	size_t found = 0;

	for (const struct record_stretch *r = NULL; (r = next_of(c, r));) {
		for (size_t n = 0; n < r->throttled.count; n++) {
			if (found++ >= THROTTLED_MAX)
				continue;
			text_reset(&names);
			attribution_throttle((uint32_t)r->throttled.at[n][1], &names);
			fprintf(f, "%s cpu %" PRIu32 " by ",
				found > 1 ? "," : "Throttling was newly logged (red):", r->cpu);
			plot_time(f, (double)r->throttled.at[n][0]);
			fprintf(f, " (%s)", names.buf);
		}
	}
	if (found > THROTTLED_MAX)
		fprintf(f, " and %zu times more", found - THROTTLED_MAX);
	fputs(found ? "." : "", f);
	return found;
}

static void put_course(FILE *f, const struct result *run, const struct result_stage *stage)
{
	struct course c = { .of = stretch_records_of(stage), .phase = "alone" };

	for (size_t i = 0; i < c.of.count; i++)
		c.phase = text_same(c.of.at[i].phase, "all") ? "all" : c.phase;
	fprintf(f, "<h4>The clock over time: phase %s</h4>\n<figure tabindex=\"0\">\n", c.phase);
	if (put_clock(f, &c))
		fprintf(f, "<figcaption>%s. ",
			has_levels(&run->begin)
				? "GHz, a line per core and kernel"
				: "APERF over MPERF, a line per core and kernel: 1 is the nominal "
				  "clock");
	else
		fputs("<figcaption>The clock's course is not known: no counter showed it. ", f);
	put_lowest(f, &c);
	if (!put_throttled(f, &c))
		fputs(has_evidence(&run->begin, "thermal")
			      ? "No core newly logged throttling."
			      : "Whether a core throttled is not known: no log of it was read.",
		      f);
	fputs("</figcaption>\n</figure>\n", f);
}

/* ---- Histograms ---- */

#define GROUPS_MAX 64 /* kernels and phases; a run has at most 20 */

/* First record of each kernel and phase. */
struct groups {
	size_t first[GROUPS_MAX];
	size_t count;
};

static void read_groups(struct groups *k, struct stretch_records of)
{
	*k = (struct groups){ .count = 0 };
	for (size_t i = 0; i < of.count; i++) {
		size_t n = 0;

		while (n < k->count && !stretch_records_alike(&of.at[k->first[n]], &of.at[i]))
			n++;
		if (n == k->count && k->count < GROUPS_MAX)
			k->first[k->count++] = i;
	}
}

static void fill_group(struct plot_group *group, struct stretch_records of, size_t first)
{
	const struct record_stretch *r = &of.at[first];

	*group = (struct plot_group){ .of = memory_new(of.count, sizeof(*group->of)) };
	snprintf(group->title, sizeof(group->title), "%.24s, %.24s", r->kernel ?: "n/a",
		 r->phase ?: "n/a");
	for (size_t i = first; i < of.count; i++) {
		if (stretch_records_alike(&of.at[i], r))
			group->of[group->count++] = &of.at[i].hist;
	}
}

/* ppm above the best. */
static void put_percent(FILE *f, double ppm)
{
	fprintf(f, "%.6g %%", ppm / 1e4);
}

static void put_histograms(FILE *f, struct stretch_records of, const struct groups *k,
			   const struct config_limit *limit)
{
	static struct plot_group group[GROUPS_MAX];
	static unsigned id;
	const struct plot_grid grid = { .name = "stretch",
					.id = id++,
					.limit = limit->set ? limit->value - ONE : 0,
					.label = put_percent,
					.group = group,
					.groups = k->count };

	for (size_t i = 0; i < k->count; i++)
		fill_group(&group[i], of, k->first[i]);
	fputs("<figure tabindex=\"0\">\n", f);
	plot_grid(f, &grid);
	fputs("<figcaption>How many quanta took how much longer than the best, of all cores. Both "
	      "axes are logarithmic; what took as long as the best is at the left end.",
	      f);
	fputs(limit->set ? " Dashed: the limit on p99.9.</figcaption>\n</figure>\n"
			 : "</figcaption>\n</figure>\n",
	      f);
	for (size_t i = 0; i < k->count; i++)
		free(group[i].of);
}

void stretch_page(FILE *f, const struct result *run, struct result_stage *stage,
		  const struct config *limits)
{
	const struct stretch_records of = stretch_records_of(stage);
	struct groups k;

	if (!of.count)
		return;
	read_groups(&k, of);
	put_histograms(f, of, &k, &limits->limit[LIMIT_MAX_STRETCH]);
	put_course(f, run, stage);
}
