/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables and drawings of a stage. */
#include "html_run.h"

#include "host/capture/result_sources.h"
#include "host/lib/markup.h"
#include "html.h"
#include "plot.h"
#include "host/lib/poisson.h"

#include "core/records/record_field.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <inttypes.h>

/* The stage's cores, and their totals. */
struct cores {
	const struct record_cpu *cpu; /* by number */
	size_t count;
	struct record_cpu total;
	const struct record_cpu *worst; /* has the longest gap */
	bool no_smi;                    /* record_no_smi() of the run */
	const struct record_field *column[RECORD_FIELDS_MAX];
	size_t columns;
	uint64_t limit_ns; /* on a gap's length; 0: none */
};

static void add_up(struct cores *c)
{
	c->worst = c->cpu;
	c->columns = record_columns(RECORD_CPU, c->no_smi, c->column);
	record_total_start(RECORD_CPU, &c->total);
	for (size_t i = 0; i < c->count; i++) {
		record_total_add(RECORD_CPU, &c->total, &c->cpu[i]);
		if (c->cpu[i].max_ns > c->worst->max_ns)
			c->worst = &c->cpu[i];
	}
}

/* ---- Text and tiles ---- */

static void put_line(void *ctx, const char *line, size_t bytes)
{
	(void)bytes;
	html_paragraph(ctx, line);
}

static void put_tile(FILE *f, const char *name, const char *value)
{
	fputs("<div>", f);
	html_element(f, "b", value);
	markup_text(f, name);
	fputs("</div>", f);
}

static double noise_ppm(const struct record_cpu *cpu)
{
	return cpu->exposure_ns ? (double)cpu->noise_ns / (double)cpu->exposure_ns * 1e6 : 0;
}

static void put_count_tile(FILE *f, const char *name, struct maybe m)
{
	char value[32] = "n/a";

	if (m.known)
		snprintf(value, sizeof(value), "%" PRIu64, m.value);
	put_tile(f, name, value);
}

static void put_tiles(FILE *f, const struct cores *c)
{
	char value[64], name[64], length[24];

	fputs("<div class=\"tiles\">", f);
	snprintf(name, sizeof(name), "longest gap, on cpu %" PRIu32, c->worst->cpu);
	put_tile(f, c->worst->max_ns ? name : "longest gap",
		 c->worst->max_ns ? html_duration(c->worst->max_ns, length) : "none");
	snprintf(value, sizeof(value), "%s ppm", html_ppm(noise_ppm(&c->total), length));
	put_tile(f, "noise", value);
	put_count_tile(f, "gaps, all cores", (struct maybe){ c->total.gaps, true });
	if (!c->no_smi) {
		put_count_tile(f, "SMIs, all cores", c->total.smi);
		put_count_tile(f, "NMIs, all cores", c->total.nmi);
	}
	snprintf(name, sizeof(name), "mean exposure of %zu cores", c->count);
	put_tile(f, c->count > 1 ? name : "exposure",
		 html_duration(c->total.exposure_ns / c->count, length));
	fputs("</div>\n", f);
}

/* Without events, the exposure bounds their rate. */
static void put_bound(FILE *f, const struct cores *c)
{
	double seconds = (double)c->total.exposure_ns / (double)c->count / NS_PER_S;

	if (c->total.gaps || seconds <= 0)
		return;
	fprintf(f,
		"<p>No gap on any core: with 95 %% confidence fewer than %.3g per hour and core, "
		"as 3/exposure.</p>\n",
		poisson_upper(0, 0.05) / seconds * 3600);
}

/* ---- Cores ---- */

/* Noise is shown as a share of the exposure, and so is the rest. */
static bool is_noise(const struct record_field *f)
{
	return f->offset == offsetof(struct record_cpu, noise_ns);
}

static void put_heads(FILE *f, const struct cores *c)
{
	TEXT_DEFINE(heads, 512);

	for (size_t i = 0; i < c->columns; i++)
		text_add(&heads, "%s%s%s", i ? "|>" : "", c->column[i]->label,
			 is_noise(c->column[i]) ? " (ppm)|>% available" : "");
	for (unsigned cause = 0; cause < CAUSES; cause++) {
		if (c->total.cause[cause].gaps)
			text_add(&heads, "|>%s", cause_name((enum cause)cause));
	}
	html_table(f, heads.buf);
}

static void put_cell(FILE *f, const struct record_field *r, const struct record_cpu *cpu)
{
	struct maybe m = record_field_number(r, cpu);
	char number[24];

	if (is_noise(r)) {
		html_cell_format(f, "%s", html_ppm(noise_ppm(cpu), number));
		html_cell_format(f, "%.5f", 100 - noise_ppm(cpu) / 1e4);
	} else if (r->role == FIELD_ROLE_TIME) {
		html_cell_duration(f, m.value);
	} else {
		html_cell_maybe(f, m);
	}
}

/* A core, or the total of all. */
static void put_row(FILE *f, const struct cores *c, const struct record_cpu *cpu, const char *class)
{
	html_row(f, class);
	for (size_t i = 0; i < c->columns; i++) {
		if (c->column[i]->offset != offsetof(struct record_cpu, cpu))
			put_cell(f, c->column[i], cpu);
		else if (cpu == &c->total)
			html_cell(f, "all");
		else
			fprintf(f, "<td>%" PRIu32 "</td>", cpu->cpu);
	}
	for (unsigned cause = 0; cause < CAUSES; cause++) {
		if (c->total.cause[cause].gaps)
			html_cell_number(f, cpu->cause[cause].gaps);
	}
	html_row_end(f);
}

static void put_cores(FILE *f, const struct cores *c)
{
	fputs("<h4>Cores</h4>\n", f);
	put_heads(f, c);
	for (size_t i = 0; i < c->count; i++) {
		bool worst = c->count > 1 && c->worst->max_ns && &c->cpu[i] == c->worst;

		put_row(f, c, &c->cpu[i], worst ? "worst" : NULL);
	}
	put_row(f, c, &c->total, "all");
	html_table_end(f);
	fputs("<p class=\"dim\">Columns by cause count gaps; n/a: there is no evidence. The core "
	      "with the longest gap is shaded.</p>\n",
	      f);
}

/* ---- Drawings ---- */

static void put_timeline(FILE *f, const struct result_stage *stage, const struct cores *c)
{
	const struct plot_timeline t = { stage, c->cpu, c->count, c->limit_ns };
	uint32_t causes;

	if (!stage->gaps)
		return;
	fputs("<h4>Events across cores</h4>\n<figure>\n", f);
	causes = plot_timeline(f, &t);
	plot_legend(f, causes);
	fprintf(f,
		"<figcaption>Time since the start of the run. Above: the longest gap of each "
		"moment and cause. Below: on which cores; what lines up vertically happened at the "
		"same time. The grey line under it: when cores sampled. Drawn: %zu of %" PRIu64
		" gaps%s.</figcaption>\n</figure>\n",
		stage->gaps, c->total.gaps,
		stage->gaps < c->total.gaps ? ", those that have a record (gaps=all sends all)"
					    : "");
}

static void put_histograms(FILE *f, const struct cores *c)
{
	const struct plot_timeline t = { NULL, c->cpu, c->count, c->limit_ns };
	static unsigned id;
	size_t with = 0, drawn;

	for (size_t i = 0; i < c->count; i++)
		with += c->cpu[i].histogram.count > 0;
	if (!with)
		return;
	fputs("<h4>Lengths of gaps</h4>\n<figure>\n", f);
	drawn = plot_histograms(f, &t, id++);
	fprintf(f, "<figcaption>How many gaps of which length%s. Both axes are logarithmic. ",
		c->count > 1 ? ": all cores above, each core below" : "");
	if (drawn < with)
		fprintf(f, "The %zu cores with the longest gaps of %zu that have any. ", drawn,
			with);
	else if (with < c->count)
		fprintf(f, "Cores without a gap: %zu. ", c->count - with);
	fputs("Every gap is counted, whether or not it has a record.</figcaption>\n</figure>\n", f);
}

/* ---- Events and sources ---- */

static void put_event(FILE *f, const struct record_event *e)
{
	html_row(f, NULL);
	html_cell_format(f, "%" PRIu64 ".%06" PRIu64, e->t_ns / NS_PER_S,
			 e->t_ns % NS_PER_S / 1000);
	html_cell_duration(f, e->len_ns);
	html_cell_format(f, "%" PRIu32, e->cpus);
	fputs("<td>", f);
	markup_text(f, e->scope);
	fputs(e->partial ? "+</td>" : "</td>", f);
	html_cell(f, e->cause);
	html_cell_format(f, "%" PRIu32, e->first);
	html_cell_format(f, "%" PRIu32, e->last);
	html_cell_duration(f, e->skew_ns);
	html_row_end(f);
}

static void put_events(FILE *f, const struct result_stage *stage)
{
	if (!stage->listed)
		return;
	fprintf(f, "<h4>The %" PRIu32 " longest of %" PRIu64 " events</h4>\n", stage->listed,
		stage->of);
	html_table(f, ">at (s)|>length|>cores|scope|cause|>first|>last|>skew");
	for (uint32_t i = 0; i < stage->listed; i++)
		put_event(f, &stage->longest[i]);
	html_table_end(f);
}

static void put_source(FILE *f, const struct result_source *s)
{
	const struct record_source *r = &s->source;

	html_row(f, NULL);
	html_cell_duration(f, r->period_ns);
	html_cell_duration(f, r->jitter_ns);
	html_cell_format(f, "%.2f", (double)r->fill_ppm / 1e4);
	html_cell_number(f, r->events);
	html_cell(f, r->cause);
	html_cell_format(f, "1e%" PRId64, r->chance_milli / 1000);
	html_cell(f, r->origin ? r->origin : r->hint);
	html_cell(f, s->by_probe ? "probe" : "this report");
	html_row_end(f);
}

static void put_sources(FILE *f, const struct result *run, struct result_stage *stage)
{
	struct result_sources found;

	result_sources_read(&found, run, stage);
	fputs("<h4>Sources: events that recur with a period</h4>\n", f);
	if (found.count) {
		html_table(f, ">period|>jitter|>fill (%)|>events|cause|>chance|likely|found by");
		for (size_t i = 0; i < found.count; i++)
			put_source(f, &found.at[i]);
		html_table_end(f);
	} else {
		fputs("<p>None found.</p>\n", f);
	}
	if (!found.searched) {
		fputs("<p class=\"dim\">Sources of any period were not looked for: ", f);
		markup_text(f, found.why_not);
		fputs(".</p>\n", f);
	}
	result_sources_free(&found);
}

static void put_gaps(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	struct cores c = { .cpu = stage->cpu,
			   .count = stage->cpus,
			   .limit_ns = limits->max_ns.set ? limits->max_ns.value : 0,
			   .no_smi = run->ladder.no_smi };

	add_up(&c);
	put_tiles(f, &c);
	put_bound(f, &c);
	put_timeline(f, stage, &c);
	put_histograms(f, &c);
	put_events(f, stage);
	put_sources(f, run, stage);
	put_cores(f, &c);
}

void html_stage(FILE *f, const struct result *run, struct result_stage *stage,
		const struct config *limits)
{
	fputs("<h3>Stage ", f);
	markup_text(f, stage->name);
	fputs("</h3>\n", f);
	if (stage->has_state)
		table_stage(&stage->state, put_line, f);
	if (stage->cpus)
		put_gaps(f, run, stage, limits);
	if (stage->stretches)
		html_stretch(f, run, stage, &limits->max_stretch);
}
