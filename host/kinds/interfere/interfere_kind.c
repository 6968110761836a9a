/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfere records of a stage, who slows whom: a line of text for what is significant, heat maps.
 */
#include "host/capture/result.h"
#include "host/html/html.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/order.h"

#include "core/kinds/interfere/interfere.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- The page: a heat map of each kernel ---- */

#define ONE    UINT64_C(1000000)
#define COLOUR "rgb(213 94 0/%u%%)" /* Okabe and Ito's vermilion, of some opacity */

struct matrix {
	uint32_t cpu[INTERFERE_GROUPS]; /* by number */
	size_t cpus;
	const struct record_interfere *at[INTERFERE_GROUPS][INTERFERE_GROUPS];
};

static size_t place_of(const struct matrix *m, uint32_t cpu)
{
	size_t n = 0;

	while (n < m->cpus && m->cpu[n] != cpu)
		n++;
	return n;
}

/* False: there are more than a run has. */
static bool add_cpu(struct matrix *m, uint32_t cpu)
{
	if (place_of(m, cpu) < m->cpus)
		return true;
	if (m->cpus == INTERFERE_GROUPS)
		return false;
	m->cpu[m->cpus++] = cpu;
	return true;
}

static ORDER_NUMBERS(by_number, uint32_t);

static bool read_matrix(struct matrix *m, struct interfere_records of, const char *kernel)
{
	const struct record_interfere *r = of.at;

	*m = (struct matrix){ 0 };
	for (size_t i = 0; i < of.count; i++) {
		if (text_same(r[i].kernel, kernel) &&
		    (!add_cpu(m, r[i].victim) || !add_cpu(m, r[i].aggressor)))
			return false;
	}
	qsort(m->cpu, m->cpus, sizeof(m->cpu[0]), by_number);
	for (size_t i = 0; i < of.count; i++) {
		if (text_same(r[i].kernel, kernel))
			m->at[place_of(m, r[i].victim)][place_of(m, r[i].aggressor)] = &r[i];
	}
	return true;
}

/* From this ratio on, a colour's share in percent. */
static const struct {
	uint64_t ratio;
	unsigned share;
} steps[] = { { 1500000, 65 }, { 1250000, 50 }, { 1100000, 38 },
	      { 1050000, 26 }, { 1020000, 16 }, { 0, 8 } };

/* None where chance explains it. */
static unsigned shade(const struct record_interfere *r)
{
	size_t n = 0;

	while (r->ratio < steps[n].ratio)
		n++;
	return r->ratio > r->bound ? steps[n].share : 0;
}

static void put_pair(FILE *f, const struct record_interfere *r, bool self)
{
	if (!r)
		html_cell_format(f, self ? "\xe2\x80\x93" : "n/a");
	else
		fprintf(f,
			"<td class=\"n\" style=\"padding-left:.3em;background:" COLOUR "\" "
			"title=\"chance alone: up to %.4f\">%.3f</td>",
			shade(r), (double)r->bound / ONE, (double)r->ratio / ONE);
}

static void put_matrix(FILE *f, const struct matrix *m, const char *kernel)
{
	char name[12];

	html_table_open(f);
	html_head(f, kernel, false);
	for (size_t a = 0; a < m->cpus; a++) {
		snprintf(name, sizeof(name), "%" PRIu32, m->cpu[a]);
		html_head(f, name, true);
	}
	html_table_rows(f);
	for (size_t v = 0; v < m->cpus; v++) {
		html_row(f, NULL);
		fprintf(f, "<td>cpu %" PRIu32 "</td>", m->cpu[v]);
		for (size_t a = 0; a < m->cpus; a++)
			put_pair(f, m->at[v][a], v == a);
		html_row_end(f);
	}
	html_table_end(f);
}

/* A matrix for each kernel, in the order in which they were measured. False: none is drawn. */
static bool put_matrices(FILE *f, struct interfere_records of)
{
	const struct record_interfere *r = of.at;
	bool drawn = false;
	struct matrix m;

	for (size_t i = 0; i < of.count; i++) {
		size_t n = 0;

		while (r[i].kernel && n < i && !text_same(r[n].kernel, r[i].kernel))
			n++;
		if (!r[i].kernel || n < i)
			continue;
		if (!read_matrix(&m, of, r[i].kernel)) {
			html_paragraph(f, "These are more cores than a run has pairs of: not "
					  "drawn.");
			continue;
		}
		put_matrix(f, &m, r[i].kernel);
		drawn = true;
	}
	return drawn;
}

static void put_legend(FILE *f, const char *group)
{
	fputs("<figcaption>Rows: the core that was measured; columns: the one at work beside it. "
	      "How "
	      "many times longer the median quantum took than alone, gaps taken out. ",
	      f);
	if (group) {
		fputs("Each stands for the cores of a ", f);
		text_markup(f, group);
		fputs(", by the first. ", f);
	}
	fputs("Coloured where significant:", f);
	for (size_t n = sizeof(steps) / sizeof(steps[0]); n-- > 0;)
		fprintf(f, " <span style=\"padding:0 .4em;background:" COLOUR "\">%s%.4g</span>",
			steps[n].share, steps[n].ratio ? "from " : "below ",
			(double)(steps[n].ratio ? steps[n].ratio : steps[n - 1].ratio) / ONE);
	fputs("</figcaption>\n", f);
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	const struct interfere_records of = interfere_records_of(stage);
	bool drawn;

	(void)run, (void)limits;
	if (!of.count)
		return;
	fputs("<h4>Who slows whom</h4>\n<figure tabindex=\"0\">\n<div class=\"side\">\n", f);
	drawn = put_matrices(f, of);
	fputs("</div>\n", f);
	if (drawn)
		put_legend(f, of.at->group);
	fputs("</figure>\n", f);
}

/* ---- The kind ---- */

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct interfere_records of = interfere_records_of(stage);

	(void)t;
	for (size_t i = 0; i < of.count; i++)
		if (of.at[i].ratio > of.at[i].bound)
			result_record_text(run, RECORD_INTERFERE, &of.at[i]);
}

const struct host_kind host_kind_interfere = {
	.type = RECORD_INTERFERE,
	.text = put_text,
	.page = put_page,
	.series = true,
};
