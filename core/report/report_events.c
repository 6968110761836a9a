/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a stage, from the cores' rings to records, and then their sources.
 *
 * Only gaps of one cause are merged: an SMI on one core is no evidence about a gap of another core
 * at the same moment, and merging both would give the SMI a wrong scope. For the same reason each
 * cause is searched for sources by itself: the host's noise then neither hides SMIs nor absorbs
 * them.
 */
#include "report.h"

#include "table.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_kind.h"

#define LIST_MAX 600 /* bytes of a list of cores; a line holds twice that */

static uint64_t ns(const struct report *r, uint64_t ticks)
{
	return ticks_to_ns(ticks, r->platform->hz);
}

/* ns since the begin; 0 for a tick that is a little before it, as clocks are not exact. */
static uint64_t since_begin(const struct report *r, uint64_t tick)
{
	return ns(r, arith_less(tick, r->platform->begin_tsc));
}

/* ---- Merging ---- */

/*
 * Gaps that are closer than this belong to one event, ticks. Merging with the full slack of the
 * clocks' error bounds would join separate gaps if the bounds are wide, as under an emulator. Gaps
 * at the same moment overlap without slack if clocks differ by less than the shortest gap, so the
 * slack is at most that.
 */
static uint64_t merge_slack(const struct report *r)
{
	return arith_min(gaplist_uncertainty(r->platform),
			 ticks_from_ns(r->config->threshold_ns, r->platform->hz));
}

static struct event_setup set_up(const struct report *r, enum cause cause)
{
	const struct platform *p = r->platform;
	struct event_setup setup = {
		.cpu = r->scratch.event_cpus + cause * p->cpus,
		.cpus = p->cpus,
		.whole = p->whole,
		.slack = merge_slack(r),
		.cause = cause,
		.complete_until = gaplist_complete_until(p),
	};

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];

		setup.cpu[i] = (struct event_cpu){ .index = cpu->index, .measured = cpu->measured };
		if (p->topology)
			setup.cpu[i].place = p->topology[i];
		setup.whole = setup.whole && cpu->measured;
	}
	return setup;
}

/* The events of one cause, one at a time. Times are ticks of the boot core's TSC. */
struct stream {
	struct gaplist list;
	struct event_merge merge;
	struct event next;
	bool any; /* there is a next event */
};

/* Add gaps until an event is complete. */
static void stream_advance(struct stream *s)
{
	const struct gap *gap;
	const struct cpu *cpu;

	s->any = false;
	while (!s->any && gaplist_next(&s->list, &gap, &cpu)) {
		struct event_gap next = { gaplist_time(cpu, gap), gap->ticks, cpu->position };

		s->any = event_merge_add(&s->merge, &next, &s->next);
	}
	if (!s->any)
		s->any = event_merge_end(&s->merge, &s->next);
}

static void stream_begin(struct stream *s, const struct report *r, enum cause cause)
{
	struct event_setup setup = set_up(r, cause);

	event_merge_begin(&s->merge, &setup);
	gaplist_begin(&s->list, r->platform, r->scratch.heads + cause * r->platform->cpus,
		      1u << cause);
	stream_advance(s);
}

/* ---- Events: counted, then listed for people, then sent ---- */

struct stage_events {
	struct report *r;
	struct stream of[CAUSES];
	uint64_t count, of_cause[CAUSES], scope[SCOPES];
	struct longest_choice listed, sent[REPORT_LINKS];
};

/* Begin with the first event again. Once they are counted, causes without any are known. */
static void begin_events(struct stage_events *s)
{
	for (unsigned c = 0; c < CAUSES; c++)
		if (!s->count || s->of_cause[c])
			stream_begin(&s->of[c], s->r, (enum cause)c);
}

/* Take the next event of all causes in time order; false at the end. */
static bool next_event(struct stage_events *s, struct event *e)
{
	struct stream *first = NULL;

	for (struct stream *of = s->of; of < s->of + CAUSES; of++)
		if (of->any && (!first || of->next.start < first->next.start))
			first = of;
	if (!first)
		return false;
	*e = first->next;
	stream_advance(first);
	return true;
}

static void count_events(struct stage_events *s)
{
	struct longest longest = report_longest(s->r);
	struct event e;

	begin_events(s);
	while (next_event(s, &e)) {
		s->count++;
		s->of_cause[e.cause]++;
		s->scope[e.scope]++;
		longest_add(&longest, e.length);
	}
	s->listed = longest_choose(&longest, TABLE_EVENTS);
	report_choose(s->r, &longest, s->sent);
	for (unsigned i = 0; i < s->r->links; i++)
		s->r->link[i].events_unsent += s->count - s->sent[i].chosen;
}

static struct record_event record_of(const struct stage_events *s, const struct event *e)
{
	const struct report *r = s->r;

	return (struct record_event){
		.stage = r->stage,
		.of = s->count,
		.t_ns = since_begin(r, e->start),
		.len_ns = ns(r, e->length),
		.gaps = e->gaps,
		.cpus = e->cpus,
		.first = e->first,
		.last = e->last,
		.skew_ns = ns(r, e->skew),
		.cause = cause_name(e->cause),
		.scope = event_scope_name(e->scope),
		.partial = e->partial,
	};
}

static void print_events(struct stage_events *s)
{
	struct event e;

	if (!s->count)
		return;
	table_events(s->count, s->scope, (uint32_t)s->listed.chosen, s->r->line, s->r->ctx);
	report_text(s->r, "%s", record_kind_of(RECORD_EVENT)->head);
	begin_events(s);
	while (next_event(s, &e)) {
		struct record_event record = record_of(s, &e);

		if (longest_take(&s->listed, e.length))
			report_record_text(s->r, RECORD_EVENT, &record);
	}
}

static void send_event(const struct stage_events *s, const struct event *e, unsigned to)
{
	struct record_event record = record_of(s, e);
	TEXT_DEFINE(list, LIST_MAX);

	cpulist_print(&e->set, &list);
	record.list = list.overflow ? NULL : list.buf;
	report_send(s->r, to, RECORD_EVENT, &record);
}

static void send_events(struct stage_events *s)
{
	struct event e;

	begin_events(s);
	while (next_event(s, &e)) {
		unsigned to = report_takers(s->r, s->sent, e.length);

		if (to)
			send_event(s, &e, to);
	}
}

/* ---- Sources ---- */

static uint64_t known_until(const struct report *r)
{
	const struct exposure *e = &r->search.exposure;

	if (!r->search.exposure_full)
		return UINT64_MAX;
	return e->count ? e->window[e->count - 1].end : 0;
}

/* Log which events were not searched: otherwise "none found" would claim too much. */
static void note_cut(struct report *r, enum cause cause, uint64_t searched, uint64_t events)
{
	if (searched < events)
		report_log(r, "warning",
			   "sources were looked for among the first %llu of %llu %s events",
			   (unsigned long long)searched, (unsigned long long)events,
			   cause_name(cause));
}

static void report_source(struct report *r, struct record_source *source)
{
	source->stage = r->stage;
	if (!r->search.sources++)
		report_text(r, "%s", record_kind_of(RECORD_SOURCE)->head);
	report_record(r, RECORD_SOURCE, source);
}

/* Collect the starts of a cause's events, ns, up to the end of the last window that is known. */
static size_t gather_starts(struct stage_events *s, enum cause cause)
{
	struct stream *of = &s->of[cause];
	uint64_t until = known_until(s->r);
	size_t count = 0;

	for (stream_begin(of, s->r, cause); of->any; stream_advance(of)) {
		uint64_t time = since_begin(s->r, of->next.start);

		if (count < REPORT_TIMES && time <= until)
			s->r->scratch.times[count++] = time;
	}
	return count;
}

static void report_events_search(struct stage_events *s, enum cause cause)
{
	struct report *r = s->r;
	const struct period_context context = {
		.cause = cause,
		.guest = r->platform->hypervisor,
		.timers = r->search.timers,
		.timer_count = record_timers(r->search.timers),
	};
	struct event_series series = { .t = r->scratch.times, .watched = &r->search.exposure };
	struct period_list found = { .count = 0 };

	if (!s->of_cause[cause])
		return;
	series.count = gather_starts(s, cause);
	period_search(&series, &context, &found);
	note_cut(r, cause, found.searched, s->of_cause[cause]);
	for (size_t n = 0; n < found.count; n++)
		report_source(r, &found.source[n]);
}

/* Leave out the time after a ring was full. */
static void cut_exposure(struct report *r)
{
	uint64_t complete = gaplist_complete_until(r->platform);

	if (complete == UINT64_MAX)
		return;
	exposure_cut(&r->search.exposure, since_begin(r, complete));
	r->search.exposure_full = true;
}

void report_events(struct report *r)
{
	struct stage_events s = { .r = r };

	count_events(&s);
	print_events(&s);
	send_events(&s);
	cut_exposure(r);
	for (unsigned c = 0; c < CAUSES; c++)
		report_events_search(&s, (enum cause)c);
	if (!r->search.sources && s.count >= TRAIN_HITS_MIN)
		report_text(r, TABLE_NO_SOURCE);
}
