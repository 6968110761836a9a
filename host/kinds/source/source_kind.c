/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources of a stage: what the probe found, and what a search of all gaps finds here; and of two
 * runs, which are gone, which are new.
 */
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/memory.h"
#include "host/sources/sources.h"

#include "core/events/train.h"
#include "core/records/record_kind.h"
#include "core/report/table.h"

#include <stdio.h>

static bool source_kind_keep(struct result *run, const union record *record)
{
	struct result_stage *stage = result_stage_of(run, record->source.stage);

	if (!stage || run->sources == RESULT_SOURCES_MAX)
		return false;
	*MEMORY_ADD(stage->source, stage->sources) = record->source;
	run->sources++;
	return true;
}

/* ---- Text ---- */

static void print_source(const struct result *run, const struct record_source *source, bool first)
{
	if (first)
		puts(record_kind_of(RECORD_SOURCE)->head);
	result_record_text(run, RECORD_SOURCE, source);
}

/* Print the probe's sources. */
static void print_sources(const struct result *run, const struct result_stage *stage)
{
	for (size_t i = 0; i < stage->sources; i++)
		print_source(run, &stage->source[i], i == 0);
	if (!stage->sources && stage->of >= TRAIN_HITS_MIN)
		puts(TABLE_NO_SOURCE);
}

/* Print the additional sources of the search in this program. */
static void print_search(const struct result *run, struct result_stage *stage, struct text *t)
{
	struct sources f;

	/* Too few for a source in any case. */
	if (stage->gaps < TRAIN_HITS_MIN && stage->gaps_counted < TRAIN_HITS_MIN)
		return;
	sources_read(&f, run, stage);
	if (!f.searched)
		text_add(t, "sources of any period were not looked for: %s", f.why_not);
	else
		text_add(t, "sources of any period, looked for in all %zu gaps:%s", stage->gaps,
			 f.founds ? "" : " none");
	text_sanitize_print(t);
	for (size_t n = 0; n < f.founds; n++)
		print_source(run, &f.found[n], n == 0);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (f.cut[c])
			printf("(%s events: only the first %zu)\n", cause_name((enum cause)c),
			       f.events[c]);
	}
	sources_free(&f);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	print_sources(run, stage);
	print_search(run, stage, t);
}

/* ---- Two runs ---- */

/* Why it proves nothing that the run does not have the source; NULL: it proves something. */
static const char *unsure(const struct sources *other, const struct sources_row *source)
{
	if (other->span_ns / TRAIN_HITS_MIN < source->source.period_ns)
		return "the other run is too short to show it";
	if (!source->by_probe && !other->searched)
		return "the other run does not have all gaps to search for it";
	return NULL;
}

static struct finding *add_finding(struct findings *f, const struct record_source *source)
{
	const char *likely = source->origin ? source->origin : source->hint;
	struct finding *new;
	TEXT_DEFINE(period, 24);

	text_duration(&period, source->period_ns);
	new = findings_add(f, FINDING_NS, "source %s every %s",
			   source->cause ? source->cause : "n/a", period.buf);
	if (likely)
		snprintf(new->why, sizeof(new->why), "likely %s", likely);
	return new;
}

static struct finding_side period_of(const struct record_source *source)
{
	return (struct finding_side){ .known = true, .value = (double)source->period_ns };
}

/* A source that one run does not have is gone, or new, if that run could have shown it. */
static void set_absent(struct finding *new, enum finding_change change, const char *why)
{
	new->change = why ? FINDING_NOT_COMPARED : change;
	if (why)
		snprintf(new->why, sizeof(new->why), "%s", why);
}

static void source_kind_compare(struct findings *f, const struct sources *before,
				const struct sources *after)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct sources_row *b = &before->at[i];
		const struct sources_row *a = sources_in(after, &b->source);
		struct finding *new = add_finding(f, &b->source);

		new->side[0] = period_of(&b->source);
		if (a)
			new->side[1] = period_of(&a->source);
		set_absent(new, a ? FINDING_KEPT : FINDING_GONE, a ? NULL : unsure(after, b));
	}
	for (size_t i = 0; i < after->count; i++) {
		const struct sources_row *a = &after->at[i];
		struct finding *new;

		if (sources_in(before, &a->source))
			continue;
		new = add_finding(f, &a->source);
		new->side[1] = period_of(&a->source);
		set_absent(new, FINDING_NEW, unsure(before, a));
	}
}

static bool diff(struct findings *f, const struct diff_sides *of)
{
	struct sources before, after;

	sources_read(&before, of->selected[0]->run, of->stage[0]);
	sources_read(&after, of->selected[1]->run, of->stage[1]);
	source_kind_compare(f, &before, &after);
	sources_free(&before);
	sources_free(&after);
	f->what = "PERIOD";
	if (!f->count)
		snprintf(f->note, sizeof(f->note), "  no source before or after\n");
	return f->count || of->stage[0]->cpus || of->stage[1]->cpus;
}

const struct host_kind host_kind_source = {
	.type = RECORD_SOURCE,
	.keep = source_kind_keep,
	.title = "Sources: events that recur with a period",
	.text = put_text,
	.diff = diff,
};
