/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merging with all the slack that the clocks' error bounds ask for would tie
 * separate gaps together where the bounds are wide, as under an emulator. Gaps at
 * the same moment overlap without slack, as long as clocks are no further apart
 * than the shortest gap: more slack than that is not given.
 */
#include "stage_events.h"

#include "core/lib/ticks.h"

#define LIST_MAX 600 /* bytes of a list of cores; a line holds twice that */

static uint64_t ns(const struct stage_events *s, uint64_t ticks)
{
	return ticks_to_ns(ticks, s->platform->hz);
}

static struct topology place_of(const struct platform *p, uint32_t position)
{
	return p->topology ? p->topology[position] : (struct topology){ 0 };
}

uint64_t stage_events_slack(const struct stage_events *s)
{
	uint64_t uncertainty = gaplist_uncertainty(s->platform);

	return uncertainty < s->threshold ? uncertainty : s->threshold;
}

static struct event_setup set_up(const struct stage_events *s)
{
	const struct platform *p = s->platform;
	struct event_setup setup = {
		.cpu = s->cpus,
		.cpus = p->cpus,
		.whole = p->whole,
		.slack = stage_events_slack(s),
		.complete_until = gaplist_complete_until(p),
	};

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];

		s->cpus[i] = (struct event_cpu){ .index = cpu->index,
						 .measured = cpu->measured,
						 .place = place_of(p, i) };
		setup.whole = setup.whole && cpu->measured;
	}
	return setup;
}

bool stage_events_any(const struct stage_events *s, enum cause cause)
{
	const struct platform *p = s->platform;

	for (uint32_t i = 0; i < p->cpus; i++) {
		if (p->cpu[i].stage.cause_gaps[cause])
			return true;
	}
	return false;
}

uint64_t stage_events_merge(const struct stage_events *s, enum cause cause, uint64_t from,
			    event_sink *sink, void *ctx)
{
	if (!stage_events_any(s, cause))
		return 0;

	struct event_setup setup = set_up(s);
	struct event_merge m;
	struct gaplist list;
	const struct gap *gap;
	const struct cpu *cpu;

	event_merge_begin(&m, &setup, sink, ctx);
	gaplist_begin_from(&list, s->platform, s->heads, from);
	while (gaplist_next(&list, &gap, &cpu)) {
		struct event_gap next = { gaplist_time(cpu, gap), gap->ticks, cpu->position,
					  (enum cause)gap->cause };

		if (next.cause == cause)
			event_merge_add(&m, &next);
	}
	return event_merge_end(&m);
}

static uint64_t merge_each(const struct stage_events *s, event_sink *sink, void *ctx)
{
	uint64_t events = 0;

	for (unsigned c = 0; c < CAUSES; c++)
		events += stage_events_merge(s, (enum cause)c, 0, sink, ctx);
	return events;
}

static void pass_longest(struct event_longest *longest, event_sink *sink, void *ctx)
{
	event_longest_sort(longest);
	for (uint32_t n = 0; n < longest->used; n++)
		sink(ctx, event_longest_at(longest, n));
}

static uint32_t at_most(const struct stage_events *s, uint64_t limit)
{
	return limit < s->capacity ? (uint32_t)limit : s->capacity;
}

struct counting {
	struct stage_totals *totals;
	struct event_longest longest;
};

static void count(void *ctx, const struct event *e)
{
	struct counting *c = ctx;

	c->totals->events++;
	c->totals->scope[e->scope]++;
	event_longest_add(&c->longest, e);
}

void stage_events_count(const struct stage_events *s, struct stage_totals *totals, uint32_t limit,
			event_sink *sink, void *ctx)
{
	struct counting c = { .totals = totals };

	*totals = (struct stage_totals){ 0 };
	event_longest_begin(&c.longest, s->slots, at_most(s, limit));
	merge_each(s, count, &c);
	pass_longest(&c.longest, sink, ctx);
}

void stage_events_record(const struct stage_events *s, const struct event *e, uint64_t of,
			 struct record_event *record)
{
	*record = (struct record_event){
		.stage = s->stage,
		.of = of,
		.t_ns = ns(s, e->start - s->platform->begin_tsc),
		.len_ns = ns(s, e->length),
		.gaps = e->gaps,
		.cpus = e->cpus,
		.first = e->first,
		.last = e->last,
		.skew_ns = ns(s, e->start_skew),
		.end_skew_ns = ns(s, e->end_skew),
		.cause = cause_name(e->cause),
		.scope = event_scope_name(e->scope),
		.partial = e->partial,
	};
	for (unsigned c = 0; c < CAUSES; c++)
		record->causes[c] = (struct cause_sum){ e->cause_gaps[c], ns(s, e->cause_time[c]) };
}

struct sending {
	const struct stage_events *s;
	struct record_link *link;
	uint64_t of;
};

static void send_event(void *ctx, const struct event *e)
{
	const struct sending *sending = ctx;
	struct record_event record;
	TEXT_DEFINE(list, LIST_MAX);

	stage_events_record(sending->s, e, sending->of, &record);
	cpulist_print(&e->set, &list);
	record.list = list.overflow ? NULL : list.buf;
	record_send(sending->link, RECORD_EVENT, &record);
}

uint64_t stage_events_send(const struct stage_events *s, struct record_link *link, uint64_t limit,
			   uint64_t of)
{
	struct sending sending = { s, link, of };
	struct event_longest longest;
	uint64_t events;

	if (limit == UINT64_MAX) {
		merge_each(s, send_event, &sending);
		return 0;
	}
	event_longest_begin(&longest, s->slots, at_most(s, limit));
	events = merge_each(s, event_longest_add, &longest);
	pass_longest(&longest, send_event, &sending);
	return events - longest.used;
}
