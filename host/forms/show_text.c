/* SPDX-License-Identifier: BSD-2-Clause */
/* A run as text: machine, ground, a table per stage, what was logged, what is lost, the verdict. */
#include "show_text.h"

#include "host/lib/exit.h"
#include "host/capture/judged.h"
#include "host/capture/search.h"
#include "host/capture/shown.h"
#include "host/lib/memory.h"

#include "core/table/stage_lines.h"
#include "core/table/table.h"
#include "core/table/table_events.h"
#include "core/lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A verdict carries up to 16 reasons of a line each. */
#define LONG_LINE_MAX 32768

static void print_line(void *ctx, const char *line, size_t bytes)
{
	char buf[TABLE_LINE_MAX];
	struct text t;

	(void)ctx;
	text_init(&t, buf, sizeof(buf));
	text_bytes(&t, line, bytes);
	shown_clean(buf);
	puts(buf);
}

static void print_sentence(void *ctx, const char *sentence)
{
	print_line(ctx, sentence, strlen(sentence));
}

static void print_long(struct text *t)
{
	shown_clean(t->buf);
	puts(t->buf);
	text_reset(t);
}

static void print_begin(const struct shown *s, struct text *t)
{
	if (!s->has_begin) {
		puts("(no begin record: machine, clock and configuration are not known)");
		return;
	}
	table_begin(&s->begin, print_line, NULL);
	text_add(t, "config:  %s", s->begin.config);
	print_long(t);
	table_ground(t, &s->begin);
	print_long(t);
}

static void print_events(const struct run_stage *stage, struct text *t)
{
	/* Of a part of them the scopes say nothing about all. */
	table_events(t, stage->of, stage->events == stage->of ? stage->scope : NULL, stage->listed);
	print_long(t);
	table_event_head(t);
	print_long(t);
	for (uint32_t i = 0; i < stage->listed; i++) {
		table_event(t, &stage->longest[i]);
		print_long(t);
	}
}

static void print_source(const struct record_source *source, bool first, struct text *t)
{
	if (first) {
		table_source_head(t);
		print_long(t);
	}
	table_source(t, source);
	print_long(t);
}

/* What the probe found. */
static void print_sources(const struct run_stage *stage, struct text *t)
{
	for (size_t i = 0; i < stage->sources; i++)
		print_source(&stage->source[i], i == 0, t);
	if (!stage->sources && stage->of >= TRAIN_HITS_MIN)
		puts(TABLE_NO_SOURCE);
}

/* What more can be found here. */
static void print_search(const struct shown *s, struct run_stage *stage, struct text *t)
{
	static struct search search;
	struct search_ground ground = shown_ground(s, stage->name);
	struct record_source source;
	char reason[200];
	struct text why;
	size_t n;

	/* Too few for a source, whatever else is missing. */
	if (stage->gaps < TRAIN_HITS_MIN && stage->gaps_counted < TRAIN_HITS_MIN)
		return;
	text_init(&why, reason, sizeof(reason));
	search_stage(stage, &ground, &search, &why);
	if (!search.done) {
		text_add(t, "sources of any period were not looked for: %s", reason);
		print_long(t);
		return;
	}
	text_add(t, "sources of any period, looked for in all %llu gaps:%s",
		 (unsigned long long)search.gaps,
		 search_source(&search, stage, 0, &source) ? "" : " none");
	print_long(t);
	for (n = 0; search_source(&search, stage, n, &source); n++)
		print_source(&source, n == 0, t);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (search.cut[c])
			printf("(of the %s events only the first %zu)\n", cause_name((enum cause)c),
			       search.found[c].searched);
	}
}

static void print_together(const struct shown *s, const char *name)
{
	static char buf[TABLE_LINE_MAX];
	struct run_stage *stage = stages_find(&s->stages, name);
	struct text t;

	if (!stage)
		return;
	text_init(&t, buf, sizeof(buf));
	if (stage->events)
		print_events(stage, &t);
	print_sources(stage, &t);
	print_search(s, stage, &t);
}

static void print_stage(const struct shown *s, const char *stage)
{
	const struct record_stage *state = shown_state(s, stage);
	size_t count;
	struct record_cpu *cpu = shown_stage_cpus(s, stage, &count);
	uint32_t *order = memory_new(count + 1, sizeof(*order));

	putchar('\n');
	fputs("stage ", stdout);
	print_sentence(NULL, stage);
	if (state)
		stage_print(state, print_line, NULL);
	table_print(cpu, count, order, print_line, NULL);
	print_together(s, stage);
	free(cpu);
	free(order);
}

static void print_stages(const struct shown *s)
{
	const char *name[STAGES_MAX];
	bool left_out;
	size_t count = shown_stages(s, name, &left_out);

	for (size_t i = 0; i < count; i++)
		print_stage(s, name[i]);
	if (left_out)
		printf("(only the first %d stages are shown)\n", STAGES_MAX);
	if (!s->cpus)
		puts("(no cpu record: nothing was measured, or it is lost)");
}

static void print_pauses(const struct shown *s, struct text *t)
{
	for (size_t i = 0; i < s->pauses; i++) {
		table_pause(t, &s->pause[i]);
		print_long(t);
	}
}

static void print_logs(const struct shown *s, struct text *t)
{
	for (size_t i = 0; i < s->logs; i++) {
		const char *level = s->log[i].level;

		if (level && strcmp(level, "info") == 0)
			continue;
		text_add(t, "%s: %s", level, s->log[i].text);
		print_long(t);
	}
}

static void print_end(const struct shown *s, struct text *t)
{
	if (!s->has_end)
		return;
	if (s->end.watched_ppm.known) {
		table_watched(t, &s->end);
		print_long(t);
	}
	if (s->end.gaps_unsent) {
		text_add(t,
			 "%llu gaps have no record of their own; tables and histograms count them",
			 (unsigned long long)s->end.gaps_unsent);
		print_long(t);
	}
}

/* The last line says it, whatever the run itself could say. */
static void print_verdict(struct reader_run *run, const struct shown *s, struct text *t)
{
	if (!s->has_end)
		text_add(t, "verdict: incomplete (no end record)");
	else
		table_verdict(t, &s->end);
	if (s->has_end && shown_exit_code(run) == EXIT_INCOMPLETE && !reader_run_whole(run))
		text_add(t, ", but incomplete: records of the run are missing");
	print_long(t);
}

/* By which preset, with what outcome, and whether the run was long enough for it. */
static void print_preset(const struct shown *s, const struct preset *asked, struct text *t)
{
	static struct judged j;

	judged_read(&j, s, asked);
	judged_sentence(&j, t);
	if (t->len)
		print_long(t);
}

static void print_run(const char *file, struct reader_run *run, const struct preset *asked)
{
	static char buf[LONG_LINE_MAX];
	const struct shown *s = shown_of(run);
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add(&t, "%s: run %016llx", file, (unsigned long long)run->sid);
	if (s->has_begin)
		text_add(&t, ", noisefloor %s", s->begin.version);
	print_long(&t);
	print_begin(s, &t);
	print_stages(s);
	putchar('\n');
	if (s->ladder.count > 1) {
		ladder_print(&s->ladder, print_line, NULL);
		putchar('\n');
	}
	print_pauses(s, &t);
	print_logs(s, &t);
	shown_flaws(run, print_sentence, NULL);
	print_end(s, &t);
	print_preset(s, asked, &t);
	print_verdict(run, s, &t);
}

void show_text_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep(run, record);
	shown_climb(run, record);
}

bool show_text_capture(const struct show_options *o, const struct intake *in)
{
	static bool any;
	const struct reader_totals *totals = reader_totals(in->reader);
	struct reader_run *run;

	if (any)
		putchar('\n');
	any = true;
	for (size_t n = 0; (run = reader_run(in->reader, n)); n++) {
		if (n)
			putchar('\n');
		print_run(in->name, run, o->preset);
	}
	if (totals->damaged)
		printf("%s: damaged records: %llu\n", in->name,
		       (unsigned long long)totals->damaged);
	return true;
}
