/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as text: machine, platform, a table per stage, what was logged, what is lost, the verdict.
 * A page has some of these lines, too.
 */
#include "show_form.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include "core/config/config.h"
#include "core/report/summary.h"
#include "core/lib/text.h"
#include "core/report/table.h"

#include <stdio.h>
#include <string.h>

/* A verdict carries up to 16 reasons of a line each. */
#define LONG_LINE_MAX   32768
#define CONFIG_LINE_MAX 4096

static void print_sentence(void *ctx, const char *sentence)
{
	text_sanitize_line(ctx, sentence, strlen(sentence));
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

void show_text_machine(const void *of)
{
	static char buf[LONG_LINE_MAX];
	const struct result *run = of;
	struct text t;

	if (!run->has_begin) {
		puts("(no begin record: machine, clock and configuration are not known)");
		return;
	}
	text_init(&t, buf, sizeof(buf));
	result_record_text(run, RECORD_BEGIN, &run->begin);
	print_config(run->begin.config, &t);
}

static void print_platform(const struct result *run, struct text *t)
{
	if (!run->has_begin)
		return;
	summary_print_platform(t, &run->begin);
	text_sanitize_print(t);
}

static void print_stage(const struct result *run, struct result_stage *stage)
{
	static char buf[LINES_MAX];
	const struct host_kind *kind;
	struct text t;

	text_init(&t, buf, sizeof(buf));
	putchar('\n');
	fputs("stage ", stdout);
	print_sentence(NULL, stage->name);
	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		if (kind->text)
			kind->text(run, stage, &t);
}

static void print_stages(const struct result *run)
{
	for (size_t i = 0; i < run->stages; i++) {
		if (result_stage_is_measured(&run->stage[i]))
			print_stage(run, &run->stage[i]);
	}
	if (!result_is_measured(run))
		puts("(nothing was measured, or it is lost)");
}

void show_text_troubles(const void *of)
{
	const struct result *run = of;

	for (size_t i = 0; i < run->pauses; i++)
		result_record_text(run, RECORD_PAUSE, &run->pause[i]);
	for (size_t i = 0; i < run->faults; i++)
		result_record_text(run, RECORD_FAULT, &run->fault[i]);
}

void show_text_messages(const void *of)
{
	static char buf[LONG_LINE_MAX];
	const struct result *run = of;
	struct text t;

	text_init(&t, buf, sizeof(buf));
	for (size_t i = 0; i < run->logs; i++) {
		text_add(&t, "%s: %s", run->log[i].level, run->log[i].text);
		text_sanitize_print(&t);
	}
	if (run->has_attest)
		result_record_text(run, RECORD_ATTEST, &run->attest);
}

static void print_end(const struct result *run, struct text *t)
{
	if (!run->has_end)
		return;
	if (run->end.watched_ppm.known) {
		summary_print_watched(t, &run->end);
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
		summary_print_verdict(t, &run->end);
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

/* Print the summary record of a run whose other records are in other files. */
static void print_summary(const struct result *run, struct text *t)
{
	const struct record_summary *s = &run->summary;

	text_add(t, "machine: %s %s, firmware %s of %s, %s", s->machine.vendor, s->machine.product,
		 s->machine.bios_version, s->machine.bios_date, s->cpu);
	text_sanitize_print(t);
	summary_print(s, run->sid, text_sanitize_line, NULL);
}

static void print_run(const char *file, const struct result *run, const struct show_options *o)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(run);
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
		show_text_machine(run);
		print_platform(run, &t);
		print_stages(run);
	}
	putchar('\n');
	if (ladder.count > 1) {
		host_kind_ladder_print(&ladder);
		putchar('\n');
	}
	show_text_troubles(run);
	show_text_messages(run);
	result_flaws(run, print_sentence, NULL);
	print_end(run, &t);
	print_preset(run, o->preset, &t);
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
		print_run(c->name, c->run[n], o);
	}
	if (totals->damaged)
		printf("%s: damaged records: %llu\n", c->name, (unsigned long long)totals->damaged);
	return true;
}

const struct show_form show_form_text = {
	.keep = RESULT_ALL,
	.capture = put_capture,
	.has_flaws = true,
	.of_summary = true,
};
