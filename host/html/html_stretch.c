/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretch on a page: the worst core of each kernel and phase, histograms, the clock. */
#include "html.h"
#include "html_run.h"
#include "plot.h"

#include "host/lib/markup.h"

#include "core/cause/attribution.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <string.h>

#define ONE       UINT64_C(1000000)
#define KINDS_MAX 64 /* kernels and phases; a run has at most 20 */

static void put_factor(FILE *f, struct maybe m)
{
	html_cell_format(f, m.known ? "%.4f" : "n/a", (double)m.value / ONE);
}

static void put_above(FILE *f, uint64_t ppm)
{
	put_factor(f, (struct maybe){ arith_sum(ppm, ONE), true });
}

static void put_row(FILE *f, const struct record_stretch *r, uint64_t hz)
{
	const uint64_t above[] = { r->p50, r->p90, r->p99, r->p999, r->max, r->mean };
	const struct maybe factor[] = { r->gaps, r->clock, r->cpi, r->rest };

	html_row(f, NULL);
	html_cell(f, r->kernel);
	html_cell(f, r->phase);
	html_cell_format(f, "%" PRIu32, r->cpu);
	html_cell_number(f, r->quanta);
	html_cell_format(f, hz ? "%.3f" : "n/a", (double)r->best / (double)hz * 1e6);
	for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++)
		put_above(f, above[i]);
	for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++)
		put_factor(f, factor[i]);
	html_row_end(f);
}

static void put_heads(FILE *f)
{
	html_table(f, "kernel|phase|>cpu|>quanta|>best (us)|>p50|>p90|>p99|>p99.9|>max|>mean|"
		      ">gaps|>clock|>cpi|>rest");
}

/* The worst by p99.9 of those like the n-th. */
static const struct record_stretch *worst_of(const struct result_stage *stage, size_t n)
{
	const struct record_stretch *r = stage->stretch, *worst = &r[n];

	for (size_t i = n + 1; i < stage->stretches; i++) {
		if (result_stage_is_like(&r[i], &r[n]) && r[i].p999 > worst->p999)
			worst = &r[i];
	}
	return worst;
}

static void put_tables(FILE *f, const struct result_stage *stage, const size_t *first, size_t kinds,
		       uint64_t hz)
{
	put_heads(f);
	for (size_t i = 0; i < kinds; i++)
		put_row(f, worst_of(stage, first[i]), hz);
	html_table_end(f);
	fputs("<p class=\"dim\">How many times longer a quantum took than the best of its core. Of "
	      "several cores, the one with the highest p99.9. The last four are factors of the "
	      "mean; n/a: there is no evidence, and it is in the rest.</p>\n",
	      f);
	if (kinds == stage->stretches)
		return;
	fputs("<details><summary>each core</summary>\n", f);
	put_heads(f);
	for (size_t i = 0; i < stage->stretches; i++)
		put_row(f, &stage->stretch[i], hz);
	html_table_end(f);
	fputs("</details>\n", f);
}

/* ---- The clock ---- */

#define THROTTLED_MAX 8 /* listed individually */

static bool is_of_phase(const struct record_stretch *r, const char *phase)
{
	return r->phase && strcmp(r->phase, phase) == 0;
}

static bool has_evidence(const struct record_begin *begin, const char *name)
{
	size_t n = 0;

	while (n < RECORD_STRINGS && begin->evidence[n] && strcmp(begin->evidence[n], name) != 0)
		n++;
	return n < RECORD_STRINGS && begin->evidence[n];
}

static void put_lowest(FILE *f, const struct result_stage *stage, const char *phase)
{
	const struct record_stretch *r = stage->stretch, *of = NULL;
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < stage->stretches; i++) {
		for (size_t n = 0; is_of_phase(&r[i], phase) && n < r[i].course.count; n++) {
			if (r[i].course.at[n][1] >= lowest)
				continue;
			lowest = r[i].course.at[n][1];
			of = &r[i];
		}
	}
	if (!of)
		return;
	fprintf(f, "Lowest: %.4f, cpu %" PRIu32 ", ", (double)lowest / ONE, of->cpu);
	markup_text(f, of->kernel);
	fputs(". ", f);
}

/* Returns how many times any core throttled. */
static size_t put_throttled(FILE *f, const struct result_stage *stage, const char *phase)
{
	const struct record_stretch *r = stage->stretch;
	TEXT_DEFINE(names, 120);
	size_t found = 0;

	for (size_t i = 0; i < stage->stretches; i++) {
		for (size_t n = 0; is_of_phase(&r[i], phase) && n < r[i].throttled.count; n++) {
			if (found++ >= THROTTLED_MAX)
				continue;
			text_reset(&names);
			attribution_throttle((uint32_t)r[i].throttled.at[n][1], &names);
			fprintf(f, "%s cpu %" PRIu32 " by ",
				found > 1 ? "," : "Throttling was newly logged (red):", r[i].cpu);
			plot_time(f, (double)r[i].throttled.at[n][0]);
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
	const char *phase = "alone";

	for (size_t i = 0; i < stage->stretches; i++)
		phase = is_of_phase(&stage->stretch[i], "all") ? "all" : phase;
	fprintf(f, "<h4>The clock over time: phase %s</h4>\n<figure>\n", phase);
	if (plot_course(f, stage, phase))
		fputs("<figcaption>APERF over MPERF, a line per core and kernel: 1 is the nominal "
		      "clock. ",
		      f);
	else
		fputs("<figcaption>The clock's course is not known: no counter showed it. ", f);
	put_lowest(f, stage, phase);
	if (!put_throttled(f, stage, phase))
		fputs(has_evidence(&run->begin, "thermal")
			      ? "No core newly logged throttling."
			      : "Whether a core throttled is not known: no log of it was read.",
		      f);
	fputs("</figcaption>\n</figure>\n", f);
}

void html_stretch(FILE *f, const struct result *run, const struct result_stage *stage,
		  const struct config_limit *limit)
{
	size_t first[KINDS_MAX], kinds = 0;
	static unsigned id;

	for (size_t i = 0; i < stage->stretches; i++) {
		size_t n = 0;

		while (n < kinds &&
		       !result_stage_is_like(&stage->stretch[first[n]], &stage->stretch[i]))
			n++;
		if (n == kinds && kinds < KINDS_MAX)
			first[kinds++] = i;
	}
	fputs("<h4>Stretch: how much longer fixed work takes than at best</h4>\n", f);
	put_tables(f, stage, first, kinds, run->begin.clock.hz);
	fputs("<figure>\n", f);
	plot_stretch(f, stage, first, kinds, limit->set ? limit->value - ONE : 0, id++);
	fputs("<figcaption>How many quanta took how much longer than the best, of all cores. Both "
	      "axes are logarithmic; what took as long as the best is at the left end.",
	      f);
	fputs(limit->set ? " Dashed: the limit on p99.9.</figcaption>\n</figure>\n"
			 : "</figcaption>\n</figure>\n",
	      f);
	put_course(f, run, stage);
	html_interfere(f, stage);
}
