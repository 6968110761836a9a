/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretch on a page: the worst core of each kernel and phase, histograms, the clock. */
#include "stretch_parts.h"
#include "stretch_records.h"

#include "host/html/html.h"
#include "host/html/plot.h"
#include "host/lib/markup.h"
#include "host/lib/memory.h"

#include "core/cause/attribution.h"
#include "core/lib/arith.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ONE UINT64_C(1000000)

#define GROUPS_MAX 64 /* kernels and phases; a run has at most 20 */

/* Of each kernel and phase, the first record. */
struct groups {
	size_t first[GROUPS_MAX];
	size_t count;
};

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
static const struct record_stretch *worst_of(struct stretch_records of, size_t n)
{
	const struct record_stretch *r = of.at, *worst = &r[n];

	for (size_t i = n + 1; i < of.count; i++) {
		if (stretch_records_alike(&r[i], &r[n]) && r[i].p999 > worst->p999)
			worst = &r[i];
	}
	return worst;
}

static void put_tables(FILE *f, struct stretch_records of, const struct groups *k, uint64_t hz)
{
	put_heads(f);
	for (size_t i = 0; i < k->count; i++)
		put_row(f, worst_of(of, k->first[i]), hz);
	html_table_end(f);
	fputs("<p class=\"dim\">How many times longer a quantum took than the best of its core. Of "
	      "several cores, the one with the highest p99.9. The last four are factors of the "
	      "mean; n/a: there is no evidence, and it is in the rest.</p>\n",
	      f);
	if (k->count == of.count)
		return;
	fputs("<details><summary>each core</summary>\n", f);
	put_heads(f);
	for (size_t i = 0; i < of.count; i++)
		put_row(f, &of.at[i], hz);
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

/* Its cores have no nominal clock, but cycles in a ns. */
static bool has_levels(const struct record_begin *begin)
{
	return begin->arch && strcmp(begin->arch, "aarch64") == 0;
}

static void put_lowest(FILE *f, struct stretch_records records, const char *phase)
{
	const struct record_stretch *r = records.at, *of = NULL;
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < records.count; i++) {
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
static size_t put_throttled(FILE *f, struct stretch_records of, const char *phase)
{
	const struct record_stretch *r = of.at;
	TEXT_DEFINE(names, 120);
	size_t found = 0;

	for (size_t i = 0; i < of.count; i++) {
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
	const struct stretch_records of = stretch_records_of(stage);
	const char *phase = "alone";

	for (size_t i = 0; i < of.count; i++)
		phase = is_of_phase(&of.at[i], "all") ? "all" : phase;
	fprintf(f, "<h4>The clock over time: phase %s</h4>\n<figure tabindex=\"0\">\n", phase);
	if (stretch_course(f, stage, phase))
		fprintf(f, "<figcaption>%s. ",
			has_levels(&run->begin)
				? "GHz, a line per core and kernel"
				: "APERF over MPERF, a line per core and kernel: 1 is the nominal "
				  "clock");
	else
		fputs("<figcaption>The clock's course is not known: no counter showed it. ", f);
	put_lowest(f, of, phase);
	if (!put_throttled(f, of, phase))
		fputs(has_evidence(&run->begin, "thermal")
			      ? "No core newly logged throttling."
			      : "Whether a core throttled is not known: no log of it was read.",
		      f);
	fputs("</figcaption>\n</figure>\n", f);
}

/* ---- Histograms ---- */

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

static void put_histograms(FILE *f, struct stretch_records of, const struct groups *k,
			   const struct config_limit *limit)
{
	static struct plot_group group[GROUPS_MAX];
	static unsigned id;
	const struct plot_grid grid = { .name = "stretch",
					.id = id++,
					.limit_ppm = limit->set ? limit->value - ONE : 0,
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
	fputs("<h4>Stretch: how much longer fixed work takes than at best</h4>\n", f);
	put_tables(f, of, &k, run->begin.clock.hz);
	put_histograms(f, of, &k, &limits->limit[LIMIT_MAX_STRETCH]);
	put_course(f, run, stage);
}
