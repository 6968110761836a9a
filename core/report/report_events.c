/* SPDX-License-Identifier: BSD-2-Clause */
/* Events first, then sources: the two use the same memory. */
#include "report.h"

#include "stage_events.h"
#include "stage_sources.h"
#include "table.h"
#include "core/records/record_kind.h"
#include "core/lib/ticks.h"

struct stage_events report_stage_events(const struct report *r)
{
	return (struct stage_events){
		.platform = r->platform,
		.stage = r->stage,
		.threshold = ticks_from_ns(r->config->threshold_ns, r->platform->hz),
		.heads = r->heads,
		.cpus = r->event_cpus,
		.slots = r->event_slots,
		.capacity = r->event_capacity,
	};
}

struct listing {
	struct report *r;
	const struct stage_events *s;
	struct stage_totals totals;
	uint32_t rows;
};

static void print_head(const struct listing *l)
{
	uint64_t events = l->totals.events;

	table_events(events, l->totals.scope,
		     events < TABLE_EVENTS ? (uint32_t)events : TABLE_EVENTS, report_line, l->r);
	report_text(l->r, "%s", record_kind_of(RECORD_EVENT)->head);
}

static void list_event(void *ctx, const struct event *e)
{
	struct listing *l = ctx;
	struct record_event record;

	if (!l->rows++)
		print_head(l);
	stage_events_record(l->s, e, l->totals.events, &record);
	report_record_text(l->r, RECORD_EVENT, &record);
}

/* Returns how many there are. */
static uint64_t do_events(struct report *r, const struct stage_events *s)
{
	struct listing listing = { .r = r, .s = s };

	stage_events_count(s, &listing.totals, TABLE_EVENTS, list_event, &listing);
	for (struct report_link *l = r->link; l < r->link + r->links; l++)
		l->events_unsent += stage_events_send(s, l->to, report_limit(r, l),
						      listing.totals.events);
	return listing.totals.events;
}

/* Log what was not searched: otherwise "none found" would claim too much. */
static void note_cut(struct report *r, enum cause cause, const struct stage_search *search)
{
	if (search->status == PERIOD_BAD_TIMES)
		report_log(r, "warning",
			   "no sources were looked for among %s events: their times fall",
			   cause_name(cause));
	else if (search->searched < search->events)
		report_log(r, "warning",
			   "sources were looked for among the first %llu of %llu %s events",
			   (unsigned long long)search->searched, (unsigned long long)search->events,
			   cause_name(cause));
}

static void do_cause(struct report *r, const struct stage_sources *s, enum cause cause)
{
	struct stage_search search;
	struct record_source record;

	stage_sources_find(s, cause, &search, &r->found);
	note_cut(r, cause, &search);
	for (size_t n = 0; n < r->found.count; n++) {
		stage_sources_record(s, cause, &r->found.source[n], &record);
		report_record(r, RECORD_SOURCE, &record);
	}
}

static void do_sources(struct report *r, const struct stage_events *events, uint64_t count)
{
	struct stage_sources s = {
		.events = events,
		.watched = &r->exposure,
		.windows_missing = r->exposure_full,
		.timers = r->timers,
		.timer_count = r->timer_count,
		.times = r->times,
		.capacity = REPORT_TIMES,
	};

	stage_sources_begin(&s);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (stage_events_any(events, (enum cause)c))
			do_cause(r, &s, (enum cause)c);
	}
	if (!r->sources && count >= TRAIN_HITS_MIN)
		report_text(r, TABLE_NO_SOURCE);
}

void report_events(struct report *r)
{
	struct stage_events s = report_stage_events(r);

	do_sources(r, &s, do_events(r, &s));
}
