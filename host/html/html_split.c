/* SPDX-License-Identifier: BSD-2-Clause */
/* One comparison after another, each with its reservations. */
#include "html_run.h"

#include "host/compare/compare.h"
#include "host/lib/markup.h"
#include "html.h"
#include "plot.h"
#include "host/compare/split_words.h"
#include "host/lib/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* The causes of a row by part of its bar. */
static const enum plot_split_part parts[SPLIT_CAUSES] = {
	[TOOL_NMI] = SPLIT_NMI,
	[TOOL_IRQ] = SPLIT_IRQ,
	[TOOL_SOFTIRQ] = SPLIT_SOFTIRQ,
	[TOOL_THREAD] = SPLIT_THREAD,
};

static struct plot_split_bar bar_of(const struct split_result *s, const struct split_row *r)
{
	struct plot_split_bar bar = { .exposure_ns = r->exposure_ns.low ? r->exposure_ns.low
									: r->exposure_ns.high };

	split_words_name(bar.name, s, r);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		bar.part_ns[parts[c]] = r->cause_ns[c].known ? r->cause_ns[c].low : 0;
	bar.part_ns[SPLIT_FLOOR] = r->floor_ns;
	bar.part_ns[SPLIT_UNEXPLAINED] = r->unexplained_ns;
	return bar;
}

static bool has_sum(const struct split_result *s)
{
	return s->has_all && s->rows > 1;
}

static void put_bars(FILE *f, const struct split_result *s)
{
	struct plot_split_bar *bar = memory_new(s->rows + 1, sizeof(*bar));
	size_t bars = 0;

	if (has_sum(s))
		bar[bars++] = bar_of(s, &s->all);
	for (size_t i = 0; i < s->rows; i++) {
		if (s->row[i].split)
			bar[bars++] = bar_of(s, &s->row[i]);
	}
	if (bars) {
		fputs("<figure>\n", f);
		plot_split(f, bar, bars);
		fputs("<figcaption>Noise seen from inside, as a share of the time watched, by "
		      "cause.</figcaption>\n</figure>\n",
		      f);
	}
	free(bar);
}

static void put_us(FILE *f, uint64_t ns, bool known)
{
	if (known)
		html_cell_format(f, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
	else
		html_cell_format(f, "n/a");
}

static void put_share(FILE *f, const struct split_row *r)
{
	uint64_t share = split_share(r->floor_ns, r->noise_ns.low);

	if (r->split && r->noise_ns.low)
		html_cell_format(f, "%" PRIu64 ".%02u", share / 100, (unsigned)(share % 100));
	else
		html_cell_format(f, "n/a");
}

static void put_row(FILE *f, const struct split_result *s, const struct split_row *r)
{
	char name[SPLIT_NAME_MAX];

	split_words_name(name, s, r);
	html_row(f, r == &s->all ? "all" : NULL);
	html_cell(f, name);
	put_us(f, r->noise_ns.low, r->noise_ns.known);
	put_us(f, r->floor_ns, r->split);
	for (unsigned c = 0; c < SPLIT_CAUSES; c++)
		put_us(f, r->cause_ns[c].low, r->split && r->cause_ns[c].known);
	put_us(f, r->unexplained_ns, r->split);
	put_share(f, r);
	put_us(f, r->max_ns.low, r->max_ns.known);
	put_us(f, r->floor_max_ns, r->has_floor);
	html_row_end(f);
}

/* As many rows as `noisefloor compare` prints; the bars show all. */
static void put_table(FILE *f, const struct split_result *s)
{
	const struct split_row **row = memory_new(s->rows + 1, sizeof(*row));
	size_t shown;

	shown = compare_text_choose(s, row);
	if (shown < s->rows)
		fprintf(f, "<p>The %zu cores with the most noise, of %zu:</p>\n", shown, s->rows);
	html_table(f, "|>noise (us)|>floor|>nmi|>irq|>softirq|>thread|>unexplained|>floor (%)"
		      "|>max|>floor's max");
	for (size_t i = 0; i < shown; i++)
		put_row(f, s, row[i]);
	if (has_sum(s))
		put_row(f, s, &s->all);
	html_table_end(f);
	free(row);
}

static void put_sentence(FILE *f, struct text *t)
{
	html_element(f, "p", t->buf);
	fputc('\n', f);
	text_reset(t);
}

static void put_answer(FILE *f, struct text *t, const struct split_row *r)
{
	if (r->noise_ns.low || r->noise_ns.high) {
		split_words_share(t, r);
		put_sentence(f, t);
	}
	split_words_added(t, r);
	put_sentence(f, t);
}

static void put_flag(void *ctx, bool refused, const char *name, const char *text)
{
	fprintf(ctx, "<li><b>%s%s</b>: ", refused ? "refused: " : "", name);
	markup_text(ctx, text);
	fputs("</li>\n", ctx);
}

static void put_flags(FILE *f, const struct split_result *s)
{
	if (!s->flags && !s->tool->notes)
		return;
	fputs("<ul class=\"flags\">\n", f);
	split_words_flags(s, put_flag, f);
	fputs("</ul>\n", f);
}

static void put_comparison(FILE *f, const struct split_result *s)
{
	char buf[SPLIT_WORDS_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	split_words_tool(&t, s);
	html_element(f, "h4", buf);
	text_reset(&t);
	put_flags(f, s);
	if (s->refused)
		return;
	put_bars(f, s);
	put_table(f, s);
	if (s->has_all)
		put_answer(f, &t, &s->all);
}

void html_split(FILE *f, const struct split_result *split, size_t count)
{
	char buf[SPLIT_WORDS_MAX];
	struct text t;

	if (!count)
		return;
	text_init(&t, buf, sizeof(buf));
	text_add(&t, "The floor is that of stage %s.", split->floor->stage_name);
	fputs("<h3>Floor versus OS</h3>\n", f);
	put_sentence(f, &t);
	for (size_t i = 0; i < count; i++)
		put_comparison(f, &split[i]);
}
