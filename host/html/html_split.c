/* SPDX-License-Identifier: BSD-2-Clause */
/* One comparison after another, each with its reservations. */
#include "html_run.h"

#include "host/lib/markup.h"
#include "html.h"
#include "plot.h"
#include "host/compare/split_words.h"
#include "host/lib/memory.h"

#include <stdlib.h>

static uint64_t take(uint64_t *room, uint64_t ns)
{
	ns = arith_min(*room, ns);
	*room -= ns;
	return ns;
}

/* What each part has in any case; then what may be the floor's, and what may be anything. */
static struct plot_split_bar bar_of(const struct split_result *s, const struct split_row *r)
{
	uint64_t room = r->noise_ns.high == RANGE_OPEN ? r->noise_ns.low : r->noise_ns.high;
	struct plot_split_bar bar = { .exposure_ns = split_exposure(r), .noise_ns = r->noise_ns };

	split_words_name(bar.name, s, r);
	bar.part_ns[PLOT_FLOOR].sure = take(&room, r->floor_ns.low);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		bar.part_ns[PLOT_CAUSES + c].sure = take(&room, r->cause_ns[c].low);
	bar.part_ns[PLOT_UNEXPLAINED].sure = take(&room, r->unexplained_ns.low);
	bar.part_ns[PLOT_FLOOR].more = take(&room, r->floor_ns.high - r->floor_ns.low);
	bar.part_ns[PLOT_UNEXPLAINED].more = room;
	return bar;
}

static void put_bars(FILE *f, const struct split_result *s)
{
	struct plot_split_bar *bar = memory_new(s->rows + 1, sizeof(*bar));
	size_t bars = 0;

	if (s->has_all && s->rows > 1)
		bar[bars++] = bar_of(s, &s->all);
	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].split)
			bar[bars++] = bar_of(s, &s->row[i]);
	}
	if (bars) {
		fputs("<figure tabindex=\"0\">\n", f);
		plot_split(f, bar, bars);
		fputs("<figcaption>Noise seen from inside, as a share of the time watched, by "
		      "cause.</figcaption>\n</figure>\n",
		      f);
	}
	free(bar);
}

/* As `noisefloor compare` prints it; the bars show all cores. */
static void put_table(FILE *f, const struct split_result *s)
{
	struct findings findings = split_words_findings(s);
	struct findings_table t;

	findings_table(&t, &findings);
	if (t.of)
		fprintf(f, "<p>The %d cores with the most noise, of %zu:</p>\n", FINDINGS_WORST,
			t.of);
	html_table_open(f);
	for (size_t n = 0; n < t.rows; n++) {
		if (n)
			html_row(f, findings.has_sum && n + 1 == t.rows ? "all" : NULL);
		for (unsigned c = 0; c < FINDINGS_COLUMNS; c++) {
			if (t.used[c] && n)
				html_cell_format(f, "%s", t.cell[n][c]);
			else if (t.used[c])
				html_head(f, t.cell[n][c], true);
		}
		if (n)
			html_row_end(f);
		else
			html_table_rows(f);
	}
	html_table_end(f);
	findings_free(&findings);
	free(t.cell);
}

static void put_sentence(FILE *f, struct text *t)
{
	html_paragraph(f, t->buf);
	text_reset(t);
}

static void put_answer(FILE *f, struct text *t, const struct split_row *r)
{
	if (r->noise_ns.high) {
		split_words_share(t, r);
		put_sentence(f, t);
	}
	split_words_added(t, r);
	put_sentence(f, t);
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
	markup_text(out->f, flag->text);
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
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_tool(&t, s);
	html_element(f, "h4", t.buf);
	text_reset(&t);
	if (!s->refused) {
		if (s->has_all)
			put_answer(f, &t, &s->all);
		put_bars(f, s);
		if (s->rows || !s->tool->services)
			put_table(f, s);
		put_services(f, s);
	}
	put_flags(f, s);
}

void html_split(FILE *f, const struct split_result *split, size_t count)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	if (!count)
		return;
	text_add(&t, "The floor is that of stage %s.", split->floor->stage_name);
	fputs("<h3>Floor versus OS</h3>\n", f);
	put_sentence(f, &t);
	for (size_t i = 0; i < count; i++)
		put_comparison(f, &split[i]);
}
