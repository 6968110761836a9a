/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources of two runs: which are gone, which are new. */
#include "source_parts.h"

#include "host/capture/result_sources.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/events/train.h"

#include <stdio.h>
#include <stdlib.h>

/* What happened to a source. */
enum change {
	SOURCE_KEPT,
	SOURCE_GONE,
	SOURCE_NEW,
	SOURCE_UNSURE, /* the other run could not have shown it */
};

static const struct {
	const char *name;
	enum check_status status;
} changes[] = {
	[SOURCE_KEPT] = { "kept", CHECK_PASS },
	[SOURCE_GONE] = { "gone", CHECK_PASS },
	[SOURCE_NEW] = { "new", CHECK_FAIL },
	[SOURCE_UNSURE] = { "unsure", CHECK_SKIP },
};

struct changed {
	struct record_source source; /* as before; new ones as after */
	enum change change;
	const char *why; /* if unsure, in a few words; else NULL */
};

struct sources {
	struct diff_part part;
	struct result_sources before, after;
	struct changed *at;
	size_t count;
	bool expected; /* in what was measured */
};

static const struct sources *of_part(const struct diff_part *part)
{
	return (const struct sources *)part;
}

/* ---- What changed ---- */

static void add_source(struct sources *s, struct changed source)
{
	*MEMORY_ADD(s->at, s->count) = source;
	s->part.more |= source.change == SOURCE_NEW;
	s->part.less |= source.change == SOURCE_GONE;
}

/* Why the absence of the source from a run proves nothing; NULL: it does prove something. */
static const char *unsure(const struct result_sources *other, const struct result_source *source)
{
	if (other->span_ns / TRAIN_HITS_MIN < source->source.period_ns)
		return "the other run is too short to show it";
	if (!source->by_probe && !other->searched)
		return "the other run does not have all gaps to search for it";
	return NULL;
}

static void compare_sources(struct sources *s)
{
	for (size_t i = 0; i < s->before.count; i++) {
		const struct result_source *f = &s->before.at[i];
		struct changed c = { f->source, SOURCE_KEPT, NULL };

		if (!result_sources_in(&s->after, &f->source)) {
			c.why = unsure(&s->after, f);
			c.change = c.why ? SOURCE_UNSURE : SOURCE_GONE;
		}
		add_source(s, c);
	}
	for (size_t i = 0; i < s->after.count; i++) {
		const struct result_source *f = &s->after.at[i];
		struct changed c = { f->source, SOURCE_NEW, unsure(&s->before, f) };

		if (result_sources_in(&s->before, &f->source))
			continue;
		if (c.why)
			c.change = SOURCE_UNSURE;
		add_source(s, c);
	}
}

static struct diff_part *read_part(const struct diff_sides *of)
{
	struct sources *s = memory_new(1, sizeof(*s));

	result_sources_read(&s->before, of->selected[0]->run, of->stage[0]);
	result_sources_read(&s->after, of->selected[1]->run, of->stage[1]);
	compare_sources(s);
	s->expected = of->stage[0]->cpus || of->stage[1]->cpus;
	return &s->part;
}

static void free_part(struct diff_part *part)
{
	struct sources *s = (struct sources *)part;

	result_sources_free(&s->before);
	result_sources_free(&s->after);
	free(s->at);
	free(s);
}

/* ---- Text ---- */

static void put_text(const struct diff_part *part, struct text *t)
{
	const struct sources *s = of_part(part);

	diff_part_head(t, "nothing to compare");
	if (!s->count && s->expected)
		puts("  no source before or after");
	for (size_t i = 0; i < s->count; i++) {
		const struct changed *c = &s->at[i];
		const struct record_source *r = &c->source;
		const char *likely = r->origin ? r->origin : r->hint;

		text_add(t, "  source %s: every ", changes[c->change].name);
		text_duration(t, r->period_ns);
		text_add(t, ", %s, %llu events", r->cause, (unsigned long long)r->events);
		if (likely)
			text_add(t, ", likely %s", likely);
		if (c->why)
			text_add(t, " (%s)", c->why);
		text_sanitize_print(t);
	}
}

/* ---- For CI servers, and programs ---- */

static void add_check(struct checks *checks, const char *stage, const struct changed *source)
{
	const struct record_source *r = &source->source;
	TEXT_DEFINE(period, 24);

	text_duration(&period, r->period_ns);
	checks_add(checks, changes[source->change].status, stage, &period, "source %s every %s",
		   r->cause ? r->cause : "n/a", period.buf);
	text_add(&period, "%s%s%s", changes[source->change].name, source->why ? ": " : "",
		 source->why ? source->why : "");
}

static void put_checks(const struct diff_part *part, struct checks *checks, const char *stage)
{
	const struct sources *s = of_part(part);

	for (size_t i = 0; i < s->count; i++)
		add_check(checks, stage, &s->at[i]);
}

static json_t *source_object(const struct changed *s)
{
	const struct record_source *r = &s->source;

	return json_pack("{s:s,s:s?,s:o,s:o,s:s?,s:s?,s:s?}", "change", changes[s->change].name,
			 "cause", r->cause, "period_ns", json_number(r->period_ns), "events",
			 json_number(r->events), "origin", r->origin, "hint", r->hint, "why",
			 s->why);
}

static void put_json(const struct diff_part *part, json_t *stage)
{
	const struct sources *s = of_part(part);

	json_object_set_new(stage, "sources",
			    JSON_ARRAY(i, i < s->count, source_object(&s->at[i])));
}

const struct diff_kind source_diff = {
	.read = read_part,
	.free = free_part,
	.text = put_text,
	.checks = put_checks,
	.json = put_json,
};
