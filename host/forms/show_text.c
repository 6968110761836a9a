/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as text: machine, platform, a table per stage, what was logged, what is lost, the verdict.
 */
#include "show_form.h"

#include "host/lib/exit.h"
#include "host/lib/range.h"
#include "host/capture/quantile.h"
#include "host/capture/result_verdict.h"
#include "host/capture/result_sources.h"
#include "host/capture/result.h"
#include "host/lib/columns.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/config/config.h"
#include "core/report/summary.h"
#include "core/table/table.h"
#include "core/kinds/interfere/interfere_text.h"
#include "core/kinds/stretch/stretch_text.h"
#include "core/table/table_events.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A verdict carries up to 16 reasons of a line each. */
#define LONG_LINE_MAX   32768
#define CONFIG_LINE_MAX 4096

static void print_line(void *ctx, const char *line, size_t bytes)
{
	TEXT_DEFINE(t, TABLE_LINE_MAX);

	(void)ctx;
	text_bytes(&t, line, bytes);
	text_sanitize(t.buf);
	puts(t.buf);
}

static void print_sentence(void *ctx, const char *sentence)
{
	print_line(ctx, sentence, strlen(sentence));
}

/* The keys that are not as they are by default: a word of one is a word of the other. */
static void print_config(const char *words, struct text *t)
{
	static struct config defaults;
	static char all[CONFIG_LINE_MAX];
	const char *before = "config:  ";
	size_t bytes;
	struct text d;

	config_defaults(&defaults);
	text_init(&d, all, sizeof(all));
	text_char(&d, ' ');
	config_print(&defaults, &d);
	text_char(&d, ' ');
	for (; words && *words; words += bytes + strspn(words + bytes, " ")) {
		char word[CONFIG_LINE_MAX];

		bytes = strcspn(words, " ");
		snprintf(word, sizeof(word), " %.*s ", (int)bytes, words);
		if (strstr(all, word))
			continue;
		text_add(t, "%s%.*s", before, (int)bytes, words);
		before = " ";
	}
	if (!t->len)
		text_add(t, "config:  as by default");
	text_sanitize_print(t);
}

static void print_begin(const struct result *run, struct text *t)
{
	if (!run->has_begin) {
		puts("(no begin record: machine, clock and configuration are not known)");
		return;
	}
	table_begin(&run->begin, print_line, NULL);
	print_config(run->begin.config, t);
	table_platform(t, &run->begin);
	text_sanitize_print(t);
}

static void print_events(const struct result_stage *stage, struct text *t)
{
	if (stage->events < stage->of) {
		text_add(t, "scopes are known of %llu events", (unsigned long long)stage->events);
		table_event_scopes(t, stage->scope);
		text_sanitize_print(t);
	}
	table_events(t, stage->of, stage->events == stage->of ? stage->scope : NULL, stage->listed);
	text_sanitize_print(t);
	table_event_head(t);
	text_sanitize_print(t);
	for (uint32_t i = 0; i < stage->listed; i++) {
		table_event(t, &stage->longest[i]);
		text_sanitize_print(t);
	}
}

static void print_source(const struct record_source *source, bool first, struct text *t)
{
	if (first) {
		table_source_head(t);
		text_sanitize_print(t);
	}
	table_source(t, source);
	text_sanitize_print(t);
}

/* What the probe found. */
static void print_sources(const struct result_stage *stage, struct text *t)
{
	for (size_t i = 0; i < stage->sources; i++)
		print_source(&stage->source[i], i == 0, t);
	if (!stage->sources && stage->of >= TRAIN_HITS_MIN)
		puts(TABLE_NO_SOURCE);
}

/* What the search here found in addition. */
static void print_search(const struct result *run, struct result_stage *stage, struct text *t)
{
	static struct result_sources_search search;
	struct record_source source;
	TEXT_DEFINE(why, 200);
	size_t n;

	/* Too few for a source in any case. */
	if (stage->gaps < TRAIN_HITS_MIN && stage->gaps_counted < TRAIN_HITS_MIN)
		return;
	result_sources_search(run, stage, &search, &why);
	if (!search.done) {
		text_add(t, "sources of any period were not looked for: %s", why.buf);
		text_sanitize_print(t);
		return;
	}
	text_add(t, "sources of any period, looked for in all %llu gaps:%s",
		 (unsigned long long)search.gaps,
		 result_sources_found(&search, stage, 0, &source) ? "" : " none");
	text_sanitize_print(t);
	for (n = 0; result_sources_found(&search, stage, n, &source); n++)
		print_source(&source, n == 0, t);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (search.cut[c])
			printf("(%s events: only the first %zu)\n", cause_name((enum cause)c),
			       search.found[c].searched);
	}
}

#define PERCENTILE_COLUMNS (1 + QUANTILE_PERCENTILES + 1)

struct percentile_row {
	char text[PERCENTILE_COLUMNS][32];
};

static void read_percentiles(const struct record_cpu *cpu, struct percentile_row *row)
{
	struct text t;

	snprintf(row->text[0], sizeof(row->text[0]), "%5" PRIu32, cpu->cpu);
	for (unsigned n = 0; n <= QUANTILE_PERCENTILES; n++) {
		text_init(&t, row->text[1 + n], sizeof(row->text[0]));
		range_text(&t,
			   n < QUANTILE_PERCENTILES ? quantile_percentile(cpu, n)
						    : range_exact(cpu->max_ns),
			   RANGE_US);
	}
}

/* Of the cores of the table, those that have gaps; `order` is the table's. */
static void print_percentiles(const struct result_stage *stage, const uint32_t *order)
{
	size_t cores = stage->cpus > TABLE_ALL ? TABLE_WORST : stage->cpus, rows = 1;
	static struct percentile_row row[1 + TABLE_ALL];
	const char *cell[1 + TABLE_ALL][PERCENTILE_COLUMNS] = { { "CPU" } };

	for (unsigned n = 0; n < QUANTILE_PERCENTILES; n++)
		cell[0][1 + n] = quantile_percentile_name(n);
	cell[0][PERCENTILE_COLUMNS - 1] = "MAX";
	for (size_t i = 0; i < cores; i++) {
		const struct record_cpu *cpu = &stage->cpu[order[i]];

		if (!quantile_percentile(cpu, 0).known)
			continue;
		read_percentiles(cpu, &row[rows]);
		for (size_t c = 0; c < PERCENTILE_COLUMNS; c++)
			cell[rows][c] = row[rows].text[c];
		rows++;
	}
	if (rows == 1)
		return;
	puts("gap lengths, us:");
	columns_print(cell[0], rows, PERCENTILE_COLUMNS, "rr");
}

static void print_stretch(const struct result *run, const struct result_stage *stage,
			  struct text *t)
{
	if (stage->stretches) {
		stretch_text_head(t);
		text_sanitize_print(t);
	}
	for (size_t i = 0; i < stage->stretches; i++) {
		stretch_text_row(t, &stage->stretch[i], run->begin.clock.hz);
		text_sanitize_print(t);
	}
	for (size_t i = 0; i < stage->interferes; i++) {
		if (stage->interfere[i].ratio <= stage->interfere[i].bound)
			continue;
		interfere_text(t, &stage->interfere[i]);
		text_sanitize_print(t);
	}
}

static void print_stage(const struct result *run, struct result_stage *stage)
{
	uint32_t *order = memory_new(stage->cpus, sizeof(*order));
	static char buf[TABLE_LINE_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	putchar('\n');
	fputs("stage ", stdout);
	print_sentence(NULL, stage->name);
	if (stage->has_state)
		table_stage(&stage->state, print_line, NULL);
	table_print(stage->cpu, stage->cpus, run->ladder.no_smi, order, print_line, NULL);
	print_percentiles(stage, order);
	print_stretch(run, stage, &t);
	if (stage->events)
		print_events(stage, &t);
	print_sources(stage, &t);
	print_search(run, stage, &t);
	free(order);
}

static void print_stages(const struct result *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (run->stage[i].cpus || run->stage[i].stretches)
			print_stage(run, &run->stage[i]);
	}
	if (!run->cpus && !run->stretches)
		puts("(no cpu record: nothing was measured, or it is lost)");
}

static void print_pauses(const struct result *run, struct text *t)
{
	for (size_t i = 0; i < run->pauses; i++) {
		table_pause(t, &run->pause[i]);
		text_sanitize_print(t);
	}
}

static void print_logs(const struct result *run, struct text *t)
{
	for (size_t i = 0; i < run->logs; i++) {
		text_add(t, "%s: %s", run->log[i].level, run->log[i].text);
		text_sanitize_print(t);
	}
}

static void print_end(const struct result *run, struct text *t)
{
	if (!run->has_end)
		return;
	if (run->end.watched_ppm.known) {
		table_watched(t, &run->end);
		text_sanitize_print(t);
	}
	if (run->end.gaps_unsent) {
		text_add(t,
			 "%llu gaps are counted in tables and histograms, but not listed "
			 "individually",
			 (unsigned long long)run->end.gaps_unsent);
		text_sanitize_print(t);
	}
}

/* The last line has the verdict, whatever the run itself printed. */
static void print_verdict(const struct result *run, struct text *t)
{
	if (!run->has_end)
		text_add(t, "verdict: incomplete (no end record)");
	else
		table_verdict(t, &run->end);
	if (run->has_end && result_exit_code(run) == EXIT_INCOMPLETE && !result_is_whole(run))
		text_add(t, ", but incomplete: records of the run are missing");
	text_sanitize_print(t);
}

/* The preset, its outcome, and whether the run was long enough for it. */
static void print_preset(const struct result *run, const struct preset *asked, struct text *t)
{
	static struct result_verdict v;

	result_verdict_read(&v, run, asked);
	result_verdict_sentence(&v, t);
	if (t->len)
		text_sanitize_print(t);
}

/* Of a run whose other records are elsewhere. */
static void print_summary(const struct result *run, struct text *t)
{
	const struct record_summary *s = &run->summary;

	text_add(t, "machine: %s %s, firmware %s of %s, %s", s->machine.vendor, s->machine.product,
		 s->machine.bios_version, s->machine.bios_date, s->cpu);
	text_sanitize_print(t);
	summary_print(s, run->sid, print_line, NULL);
}

static void print_run(const char *file, const struct result *run, const struct preset *asked)
{
	static char buf[LONG_LINE_MAX];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, "%s: run %016llx", file, (unsigned long long)run->sid);
	if (run->has_begin)
		text_add(&t, ", noisefloor %s", run->begin.version);
	text_sanitize_print(&t);
	if (run->has_summary && !run->has_begin && !run->stages) {
		print_summary(run, &t);
	} else {
		print_begin(run, &t);
		print_stages(run);
	}
	putchar('\n');
	if (run->ladder.count > 1) {
		ladder_print(&run->ladder, print_line, NULL);
		putchar('\n');
	}
	print_pauses(run, &t);
	print_logs(run, &t);
	result_flaws(run, print_sentence, NULL);
	print_end(run, &t);
	print_preset(run, asked, &t);
	print_verdict(run, &t);
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	static bool any;
	const struct reader_totals *totals = reader_totals(c->reader);

	if (any)
		putchar('\n');
	any = true;
	for (size_t n = 0; n < c->runs; n++) {
		if (n)
			putchar('\n');
		print_run(c->name, c->run[n], o->preset);
	}
	if (totals->damaged)
		printf("%s: damaged records: %llu\n", c->name, (unsigned long long)totals->damaged);
	return true;
}

const struct show_form show_form_text = {
	.keep = RESULT_ALL,
	.capture = put_capture,
	.of_summary = true,
};
