/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles, and the table of cores; totals by the rows of the record. */
#include "cpu_kind.h"
#include "host/capture/result.h"
#include "host/html/html.h"
#include "host/lib/text_sanitize.h"
#include "host/statistics/chance.h"

#include "core/lib/text.h"
#include "core/lib/ticks.h"

#include <inttypes.h>

bool cpu_cores_read(struct cpu_cores *c, const struct result *run, const struct result_stage *stage,
		    const struct config *limits)
{
	*c = (struct cpu_cores){ .cpu = stage->cpu,
				 .count = stage->cpus,
				 .worst = stage->cpu,
				 .limits = limits,
				 .limit_ns = limits->limit[LIMIT_MAX].set
						     ? limits->limit[LIMIT_MAX].value
						     : 0,
				 .no_smi = run->no_smi };
	c->columns = record_columns(RECORD_CPU, c->no_smi, c->column);
	c->total = result_total(stage, c->count);
	for (size_t i = 0; i < c->count; i++)
		if (c->cpu[i].max_ns > c->worst->max_ns)
			c->worst = &c->cpu[i];
	return c->count;
}

/* ---- Tiles ---- */

static void put_tile(FILE *f, const char *name, const char *value)
{
	fputs("<div>", f);
	html_element(f, "b", value);
	text_markup(f, name);
	fputs("</div>", f);
}

static double noise_ppm(const struct record_cpu *cpu)
{
	return cpu->exposure_ns ? (double)cpu->noise_ns / (double)cpu->exposure_ns * 1e6 : 0;
}

static bool exceeds(const struct cpu_cores *c, const struct record_cpu *cpu)
{
	struct verdict_core core;

	verdict_core_of(cpu, &core);
	return verdict_core_exceeds(c->limits, &core);
}

/* Of five decimals and more, as many as show the first two digits of the noise. */
static void put_available(FILE *f, double noise)
{
	int decimals = 5;

	for (double share = noise / 1e4; share > 0 && share * 1e4 < 0.999 && decimals < 12;
	     share *= 10)
		decimals++;
	html_cell_format(f, "%.*f", decimals, 100 - noise / 1e4);
}

static void put_count_tile(FILE *f, const char *name, struct maybe m)
{
	char value[32] = "n/a";

	if (m.known)
		snprintf(value, sizeof(value), "%" PRIu64, m.value);
	put_tile(f, name, value);
}

/* From 1 % on whole ppm are digits without a meaning. */
static void put_noise_tile(FILE *f, double ppm)
{
	char value[32], number[24];

	if (ppm < 10000)
		snprintf(value, sizeof(value), "%s ppm", html_ppm(ppm, number));
	else
		snprintf(value, sizeof(value), "%.1f %%", ppm / 1e4);
	put_tile(f, "noise", value);
}

static void put_tiles(FILE *f, const struct cpu_cores *c)
{
	char name[64], length[24];

	fputs("<div class=\"tiles\">", f);
	snprintf(name, sizeof(name), "longest gap, on cpu %" PRIu32, c->worst->cpu);
	put_tile(f, c->worst->max_ns ? name : "longest gap",
		 c->worst->max_ns ? html_duration(c->worst->max_ns, length) : "none");
	put_noise_tile(f, noise_ppm(&c->total));
	put_count_tile(f, "gaps, all cores", (struct maybe){ c->total.gaps, true });
#define TILE_INTERRUPT(name, plural) \
	if (!c->no_smi)              \
		put_count_tile(f, plural ", all cores", c->total.name);
#define TILE_ERROR(name, plural)
#define COUNTED(id, name, from, kind, weight, plural, ...) TILE_##kind(name, plural)
#include "core/cause/counted_rows.h"
	snprintf(name, sizeof(name), "mean exposure of %zu cores", c->count);
	put_tile(f, c->count > 1 ? name : "exposure",
		 html_duration(c->total.exposure_ns / c->count, length));
	fputs("</div>\n", f);
}

/* Without events, the exposure bounds their rate. */
static void put_bound(FILE *f, const struct cpu_cores *c)
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

static void put_heads(FILE *f, const struct cpu_cores *c)
{
	html_table_open(f);
	for (size_t i = 0; i < c->columns; i++) {
		html_head(f, is_noise(c->column[i]) ? "NOISE(ppm)" : c->column[i]->label, i > 0);
		if (is_noise(c->column[i]))
			html_head(f, "% available", true);
	}
	for (unsigned cause = 0; cause < CAUSES; cause++) {
		if (c->total.cause[cause].gaps)
			html_head(f, cause_name((enum cause)cause), true);
	}
	html_table_rows(f);
}

static void put_cell(FILE *f, const struct record_field *r, const struct record_cpu *cpu)
{
	struct maybe m = record_field_number(r, cpu);
	char number[24];

	if (is_noise(r)) {
		html_cell_format(f, "%s", html_ppm(noise_ppm(cpu), number));
		put_available(f, noise_ppm(cpu));
	} else if (r->role == FIELD_ROLE_TIME) {
		html_cell_duration(f, m.value);
	} else {
		html_cell_maybe(f, m);
	}
}

/* A core, or the total of all. */
static void put_row(FILE *f, const struct cpu_cores *c, const struct record_cpu *cpu,
		    const char *class)
{
	html_row(f, class);
	for (size_t i = 0; i < c->columns; i++) {
		if (c->column[i]->offset != offsetof(struct record_cpu, cpu))
			put_cell(f, c->column[i], cpu);
		else if (cpu == &c->total)
			html_cell(f, "all");
		else
			fprintf(f, "<td>%" PRIu32 "%s</td>", cpu->cpu,
				exceeds(c, cpu) ? " <b>over</b>" : "");
	}
	for (unsigned cause = 0; cause < CAUSES; cause++) {
		if (c->total.cause[cause].gaps)
			html_cell_number(f, cpu->cause[cause].gaps);
	}
	html_row_end(f);
}

/* Those that exceed a limit, or the others: how many. */
static size_t put_rows(FILE *f, const struct cpu_cores *c, bool over)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		bool worst = c->count > 1 && c->worst->max_ns && &c->cpu[i] == c->worst;

		if (exceeds(c, &c->cpu[i]) != over)
			continue;
		put_row(f, c, &c->cpu[i], worst ? "worst" : NULL);
		count++;
	}
	return count;
}

static void put_cores(FILE *f, const struct cpu_cores *c)
{
	size_t over;

	fputs("<h4>Cores</h4>\n", f);
	put_heads(f, c);
	over = put_rows(f, c, true);
	put_rows(f, c, false);
	put_row(f, c, &c->total, "all");
	html_table_end(f);
	fprintf(f,
		"<p class=\"dim\">Columns by cause count gaps; n/a: there is no evidence. The core "
		"with the longest gap is shaded.%s</p>\n",
		over ? " Those over a limit come first." : "");
}

void cpu_page(FILE *f, const struct result *run, struct result_stage *stage,
	      const struct config *limits)
{
	struct cpu_cores c;

	if (!cpu_cores_read(&c, run, stage, limits))
		return;
	put_tiles(f, &c);
	put_bound(f, &c);
}

void cpu_page_table(FILE *f, const struct result *run, struct result_stage *stage,
		    const struct config *limits)
{
	struct cpu_cores c;

	if (cpu_cores_read(&c, run, stage, limits))
		put_cores(f, &c);
}
