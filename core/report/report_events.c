/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a stage, from the cores' rings to records, and then their sources. Events and
 * sources use the same memory, one after the other.
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
		.cpu = r->scratch.event_cpus,
		.cpus = p->cpus,
		.whole = p->whole,
		.slack = merge_slack(r),
		.cause = cause,
		.complete_until = gaplist_complete_until(p),
	};

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];

		r->scratch.event_cpus[i] = (struct event_cpu){ .index = cpu->index,
							       .measured = cpu->measured };
		if (p->topology)
			r->scratch.event_cpus[i].place = p->topology[i];
		setup.whole = setup.whole && cpu->measured;
	}
	return setup;
}

/*
 * True if the core has gaps of this cause. The stage's sums lack the window in which a core was
 * lost, but its ring has the gaps.
 */
static bool core_has_gaps(const struct cpu *cpu, enum cause cause)
{
	const struct gap_ring *ring = &cpu->ring;

	if (cpu->stage.cause_gaps[cause] || cpu->stage.gaps == ring->used + ring->dropped)
		return cpu->stage.cause_gaps[cause];
	for (size_t i = ring->used; i-- > 0;)
		if (ring->slot[i].cause == cause)
			return true;
	return ring->dropped && cpu->worst.cause == cause;
}

static bool has_gaps(const struct platform *p, enum cause cause)
{
	uint32_t i = 0;

	while (i < p->cpus && !core_has_gaps(&p->cpu[i], cause))
		i++;
	return i < p->cpus;
}

/*
 * Merge the stage's gaps of one cause into events, and pass each to the sink. Times are ticks of
 * the boot core's TSC. Returns the number of events.
 */
static uint64_t merge_cause(const struct report *r, enum cause cause, event_sink *sink, void *ctx)
{
	struct event_setup setup;
	struct event_merge m;
	struct gaplist list;
	const struct gap *gap;
	const struct cpu *cpu;

	if (!has_gaps(r->platform, cause))
		return 0;
	setup = set_up(r, cause);
	event_merge_begin(&m, &setup, sink, ctx);
	gaplist_begin(&list, r->platform, r->scratch.heads, UINT64_MAX);
	while (gaplist_next(&list, &gap, &cpu)) {
		struct event_gap next = { gaplist_time(cpu, gap), gap->ticks, cpu->position };

		if (gap->cause == cause)
			event_merge_add(&m, &next);
	}
	return event_merge_end(&m);
}

static void merge_all(const struct report *r, event_sink *sink, void *ctx)
{
	for (unsigned c = 0; c < CAUSES; c++)
		merge_cause(r, (enum cause)c, sink, ctx);
}

/* ---- Events ---- */

struct events {
	struct report *r;
	uint64_t count, scope[SCOPES];
	struct event_longest longest;
	unsigned all; /* bits of links that take all events */
};

static void count_event(void *ctx, const struct event *e)
{
	struct events *s = ctx;

	s->count++;
	s->scope[e->scope]++;
	event_longest_add(&s->longest, e);
}

static struct record_event record_of(const struct events *s, const struct event *e)
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
		.skew_ns = ns(r, e->start_skew),
		.end_skew_ns = ns(r, e->end_skew),
		.cause = cause_name(e->cause),
		.scope = event_scope_name(e->scope),
		.partial = e->partial,
	};
}

static void send_event(const struct events *s, const struct event *e, unsigned to)
{
	struct record_event record = record_of(s, e);
	TEXT_DEFINE(list, LIST_MAX);

	cpulist_print(&e->set, &list);
	record.list = list.overflow ? NULL : list.buf;
	report_send(s->r->link, to, RECORD_EVENT, &record);
}

static void send_to_all(void *ctx, const struct event *e)
{
	const struct events *s = ctx;

	send_event(s, e, s->all);
}

/* Send the `limit` longest events to a link, in time order. */
static void send_longest(struct events *s, unsigned link, uint64_t limit)
{
	uint32_t count = (uint32_t)arith_min(limit, s->longest.used);

	event_longest_sort(&s->longest, count);
	for (uint32_t n = 0; n < count; n++)
		send_event(s, event_longest_at(&s->longest, n), 1u << link);
	s->r->link[link].events_unsent += s->count - count;
}

/* Links without a limit get all events, cause by cause. */
static void send_events(struct events *s)
{
	for (unsigned i = 0; i < s->r->links; i++) {
		uint64_t limit = report_limit_of(s->r, &s->r->link[i]);

		if (limit == UINT64_MAX)
			s->all |= 1u << i;
		else
			send_longest(s, i, limit);
	}
	if (s->all)
		merge_all(s->r, send_to_all, s);
}

static void print_events(struct events *s)
{
	uint32_t listed = (uint32_t)arith_min(TABLE_EVENTS, s->longest.used);

	if (!listed)
		return;
	table_events(s->count, s->scope, listed, report_line, s->r);
	report_text(s->r, "%s", record_kind_of(RECORD_EVENT)->head);
	event_longest_sort(&s->longest, listed);
	for (uint32_t n = 0; n < listed; n++) {
		struct record_event record = record_of(s, event_longest_at(&s->longest, n));

		report_record_text(s->r, RECORD_EVENT, &record);
	}
}

static uint64_t do_events(struct report *r)
{
	struct events s = { .r = r };

	event_longest_begin(&s.longest, r->scratch.event_slots, r->scratch.event_capacity);
	merge_all(r, count_event, &s);
	print_events(&s);
	send_events(&s);
	return s.count;
}

/* ---- Sources ---- */

/* Collects the starts of events, ns, up to the end of the last window that is known. */
struct starts {
	const struct report *r;
	uint64_t until;
	size_t count;
};

static void report_events_gather(void *ctx, const struct event *e)
{
	struct starts *s = ctx;
	uint64_t time = since_begin(s->r, e->start);

	if (s->count < REPORT_TIMES && time <= s->until)
		s->r->scratch.starts[s->count++] = time;
}

static uint64_t known_until(const struct report *r)
{
	const struct exposure *e = &r->search.exposure;

	if (!r->search.exposure_full)
		return UINT64_MAX;
	return e->count ? e->window[e->count - 1].end : 0;
}

/* Log which events were not searched: otherwise "none found" would claim too much. */
static void note_cut(struct report *r, enum cause cause, enum period_status status,
		     uint64_t searched, uint64_t events)
{
	if (status == PERIOD_BAD_TIMES)
		report_log(r, "warning",
			   "no sources were looked for among %s events: their times fall",
			   cause_name(cause));
	else if (searched < events)
		report_log(r, "warning",
			   "sources were looked for among the first %llu of %llu %s events",
			   (unsigned long long)searched, (unsigned long long)events,
			   cause_name(cause));
}

struct record_source report_source_of(const char *stage, enum cause cause,
				      const struct period_source *source)
{
	return (struct record_source){
		.stage = stage,
		.cause = cause_name(cause),
		.period_ns = source->period_ns,
		.jitter_ns = source->jitter_ns,
		.fill_ppm = source->fill_ppm,
		.events = source->events,
		.chance_milli = source->chance_milli,
		.origin = source->origin,
		.hint = source->hint,
	};
}

static void report_source(struct report *r, enum cause cause, const struct period_source *source)
{
	const struct record_source record = report_source_of(r->stage, cause, source);

	if (!r->search.sources++)
		report_text(r, "%s", record_kind_of(RECORD_SOURCE)->head);
	report_record(r, RECORD_SOURCE, &record);
}

static void report_events_search(struct report *r, enum cause cause)
{
	bool guest = r->platform->hypervisor && cause != CAUSE_SMI;
	struct starts starts = { .r = r, .until = known_until(r) };
	struct period_list found;
	struct event_series series;
	enum period_status status;
	uint64_t events = merge_cause(r, cause, report_events_gather, &starts);

	if (!events)
		return;
	series = (struct event_series){ r->scratch.starts, starts.count, &r->search.exposure };
	status = period_search(&series, guest, r->search.timers, record_timers(r->search.timers),
			       &found);
	if (cause != CAUSE_SMI)
		period_name_without_smi(&found, guest);
	note_cut(r, cause, status, found.searched, events);
	for (size_t n = 0; n < found.count; n++)
		report_source(r, cause, &found.source[n]);
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
	uint64_t events = do_events(r);

	cut_exposure(r);
	for (unsigned c = 0; c < CAUSES; c++)
		report_events_search(r, (enum cause)c);
	if (!r->search.sources && events >= TRAIN_HITS_MIN)
		report_text(r, TABLE_NO_SOURCE);
}
