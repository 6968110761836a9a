/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a stage: how many of which scope, and the longest of them. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/records/record_kind.h"

#include <string.h>

static enum event_scope scope_of(const char *name)
{
	unsigned scope = 0;

	while (scope < SCOPE_UNKNOWN &&
	       (!name || strcmp(event_scope_name((enum event_scope)scope), name) != 0))
		scope++;
	return (enum event_scope)scope;
}

/* Own copies of its strings, so that the record need not be kept. */
static struct record_event own_words(const struct record_event *e)
{
	struct record_event own = *e;
	enum cause cause;

	own.stage = own.list = NULL;
	own.scope = event_scope_name(scope_of(e->scope));
	own.cause = e->cause && cause_parse(e->cause, &cause) ? cause_name(cause) : NULL;
	return own;
}

static bool is_weaker(const struct record_event *a, const struct record_event *b)
{
	return a->len_ns < b->len_ns || (a->len_ns == b->len_ns && a->t_ns > b->t_ns);
}

/* The first of the longest to be replaced. */
static uint32_t weakest(const struct result_stage *stage)
{
	uint32_t weak = 0;

	for (uint32_t i = 1; i < stage->listed; i++) {
		if (is_weaker(&stage->longest[i], &stage->longest[weak]))
			weak = i;
	}
	return weak;
}

static void remove_listed(struct result_stage *stage, uint32_t n)
{
	stage->listed--;
	memmove(&stage->longest[n], &stage->longest[n + 1],
		(stage->listed - n) * sizeof(stage->longest[0]));
}

static void insert_by_time(struct result_stage *stage, const struct record_event *e)
{
	uint32_t at = stage->listed;

	while (at && stage->longest[at - 1].t_ns > e->t_ns)
		at--;
	memmove(&stage->longest[at + 1], &stage->longest[at],
		(stage->listed - at) * sizeof(stage->longest[0]));
	stage->longest[at] = *e;
	stage->listed++;
}

static bool keep(struct result *run, const union record *record)
{
	const struct record_event e = own_words(&record->event);
	struct result_stage *stage = result_stage_of(run, record->event.stage);

	if (!stage)
		return false;
	stage->of = e.of;
	stage->events++;
	stage->scope[scope_of(e.scope)]++;
	if (stage->listed == TABLE_EVENTS) {
		uint32_t weak = weakest(stage);

		if (!is_weaker(&stage->longest[weak], &e))
			return true;
		remove_listed(stage, weak);
	}
	insert_by_time(stage, &e);
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
		result_record_text(run, RECORD_EVENT, &stage->longest[i], text_sanitize_line, NULL);
}

const struct host_kind host_kind_event = {
	.type = RECORD_EVENT,
	.keep = keep,
	.title = "Events",
	.text = put_text,
};
