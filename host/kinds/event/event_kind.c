/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a stage: how many of which scope, and the longest of them. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/records/record_kind.h"

#include <stdio.h>

/* Own copies of its strings, so that the record need not be kept. */
static struct record_event own_words(const struct record_event *e)
{
	struct record_event own = *e;
	enum cause cause;

	own.stage = own.list = NULL;
	own.scope = event_scope_name(result_scope(e->scope));
	own.cause = e->cause && cause_parse(e->cause, &cause) ? cause_name(cause) : NULL;
	return own;
}

static bool is_weaker(const struct record_event *a, const struct record_event *b)
{
	return a->len_ns < b->len_ns || (a->len_ns == b->len_ns && a->t_ns > b->t_ns);
}

/* The first of the longest to be replaced. */
static struct record_event *weakest(struct result_stage *stage)
{
	struct record_event *weak = stage->longest;

	for (uint32_t i = 1; i < stage->listed; i++)
		if (is_weaker(&stage->longest[i], weak))
			weak = &stage->longest[i];
	return weak;
}

static bool event_kind_keep(struct result *run, const union record *record)
{
	const struct record_event e = own_words(&record->event);
	struct result_stage *stage = result_stage_of(run, record->event.stage);

	if (!stage)
		return false;
	stage->of = e.of;
	stage->events++;
	stage->scope[result_scope(e.scope)]++;
	if (stage->listed < TABLE_EVENTS)
		stage->longest[stage->listed++] = e;
	else if (is_weaker(weakest(stage), &e))
		*weakest(stage) = e;
	return true;
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	if (!stage->events)
		return;
	if (stage->events < stage->of) {
		text_add(t, "scopes are known of %llu events", (unsigned long long)stage->events);
		table_event_scopes(t, stage->scope);
		text_sanitize_print(t);
	}
	table_events(stage->of, stage->events == stage->of ? stage->scope : NULL, stage->listed,
		     text_sanitize_line, NULL);
	puts(record_kind_of(RECORD_EVENT)->head);
	for (uint32_t i = 0; i < stage->listed; i++)
		result_record_text(run, RECORD_EVENT, &stage->longest[i]);
}

const struct host_kind host_kind_event = {
	.type = RECORD_EVENT,
	.keep = event_kind_keep,
	.title = "Events",
	.text = put_text,
};
